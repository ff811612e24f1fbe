// SPDX-License-Identifier: Apache-2.0
// A folder that lives as long as one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace fl::test {

class TempDir {
public:
    TempDir() {
        std::string form = (std::filesystem::temp_directory_path() / "firstlight-XXXXXX").string();
        path_ = ::mkdtemp(form.data()) ? form : "";
    }
    ~TempDir() {
        std::error_code ignored;
        if (!path_.empty())
            std::filesystem::remove_all(path_, ignored);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    const std::string& path() const { return path_; }
    std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    std::string path_;
};

}  // namespace fl::test
