// SPDX-License-Identifier: Apache-2.0
// Runs a program of ours as a user would and keeps what it said.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "engine/base/json.h"
#include "engine/base/paths.h"

namespace fl::app {

struct Ran {
    int code = -1;
    std::string out;
    std::string err;

    // Exactly one document, or the test fails.
    Json json() const {
        const auto document = Json::parse(out);
        EXPECT_TRUE(document) << out << err;
        return document ? *document : Json();
    }
};

inline Ran run(const std::string& program, const std::string& arguments) {
    const std::string err =
        (std::filesystem::temp_directory_path() / ("fl-err-" + std::to_string(::getpid())))
            .string();
    const std::string command = programDir() + "/" + program + " " + arguments + " 2>" + err;
    Ran ran;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> bytes{};
    for (std::size_t got = 0; (got = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
        ran.out.append(bytes.data(), got);
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::FILE* file = std::fopen(err.c_str(), "r");
    for (std::size_t got = 0; (got = std::fread(bytes.data(), 1, bytes.size(), file)) > 0;)
        ran.err.append(bytes.data(), got);
    std::fclose(file);
    std::filesystem::remove(err);
    return ran;
}

inline std::string tinyModel(const std::string& name) {
    return std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/" + name;
}

}  // namespace fl::app
