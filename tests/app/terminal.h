// SPDX-License-Identifier: Apache-2.0
// A program of ours on a terminal of its own, driven as by hands.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/paths.h"
#include "engine/base/unique_fd.h"

namespace fl::app {

class Terminal {
public:
    Terminal(const std::string& program, const std::vector<std::string>& arguments) {
        const std::string path = programDir() + "/" + program;
        std::vector<char*> pointers = {const_cast<char*>(path.c_str())};
        for (const std::string& argument : arguments)
            pointers.push_back(const_cast<char*>(argument.c_str()));
        pointers.push_back(nullptr);
        int master = -1;
        pid_ = ::forkpty(&master, nullptr, nullptr, nullptr);
        if (pid_ == 0) {
            ::execv(path.c_str(), pointers.data());
            ::_exit(127);
        }
        master_.reset(master);
    }
    ~Terminal() {
        if (pid_ > 0)
            code();
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void type(const std::string& keys) const {
        [[maybe_unused]] const auto put = ::write(master_.get(), keys.data(), keys.size());
    }

    // Reads on until `text` was shown behind all that was waited for before; false: it ended, or
    // nothing came for half a minute.
    bool waitFor(const std::string& text) {
        for (;;) {
            if (const auto at = shown_.find(text, read_); at != std::string::npos) {
                read_ = at + text.size();
                return true;
            }
            pollfd input{master_.get(), POLLIN, 0};
            std::array<char, 4096> bytes{};
            if (::poll(&input, 1, 30'000) <= 0)
                return false;
            const auto got = ::read(master_.get(), bytes.data(), bytes.size());
            if (got <= 0)
                return false;
            shown_.append(bytes.data(), static_cast<std::size_t>(got));
        }
    }

    // Waits for its end.
    int code() {
        while (waitFor("\x01 never shown")) {
        }
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    const std::string& shown() const { return shown_; }

private:
    pid_t pid_ = -1;
    UniqueFd master_;
    std::string shown_;
    std::size_t read_ = 0;
};

}  // namespace fl::app
