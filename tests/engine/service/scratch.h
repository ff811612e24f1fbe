// SPDX-License-Identifier: Apache-2.0
// A runtime folder of the test's own, removed at its end: tests see what engines leave behind.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fl::service {

class Scratch {
public:
    Scratch() {
        EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
        ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
        ::setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    }
    ~Scratch() { std::filesystem::remove_all(folder_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return folder_; }
    // What lies in the runtime folder.
    std::vector<std::string> leftovers() const {
        std::vector<std::string> out;
        std::error_code problem;
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(folder_ + "/firstlight", problem))
            out.push_back(entry.path().string());
        return out;
    }

private:
    std::string folder_ = "/tmp/fl-service-XXXXXX";
};

}  // namespace fl::service
