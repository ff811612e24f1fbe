// SPDX-License-Identifier: Apache-2.0
// Where the reference checkpoints lie, for tests labelled `reference`.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fl::test {

// $FIRSTLIGHT_REFERENCE, else ../shared/models beside the repository, else "": skip then.
inline std::string referenceDir() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (const char* named = std::getenv("FIRSTLIGHT_REFERENCE"); named && *named)
        return fs::is_directory(named, ignored) ? named : "";
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");  // <repository>/tests/data
    if (!data)
        return "";
    const fs::path beside = fs::path(data) / "../../../shared/models";
    return fs::is_directory(beside, ignored) ? fs::weakly_canonical(beside, ignored).string() : "";
}

}  // namespace fl::test
