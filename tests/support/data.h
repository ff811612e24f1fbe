// SPDX-License-Identifier: Apache-2.0
// Paths of the files that tests bring along.
#pragma once

#include <cstdlib>
#include <string>

namespace fl::test {

// tests/data of the repository.
inline std::string dataDir() {
    const char* named = std::getenv("FIRSTLIGHT_TEST_DATA");  // set by firstlight_test
    return named ? named : "tests/data";
}

// The resources folder of the repository.
inline std::string sourceResourcesDir() {
    return dataDir() + "/../../resources";
}

}  // namespace fl::test
