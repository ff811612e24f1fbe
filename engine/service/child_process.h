// SPDX-License-Identifier: Apache-2.0
// A program started in a process group of its own, watched through the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/base/result.h"
#include "engine/base/unique_fd.h"
#include "engine/service/event_loop.h"

namespace fl::service {

// How a process ended.
struct ExitStatus {
    int code = 0;    // of exit(); 0 if a signal ended it
    int signal = 0;  // 0: none
};
// "exit code 3", "signal 9 (SIGKILL)"
std::string text(const ExitStatus& status);

// Absolute path of a program by the rules of PATH; NotFound names it.
Result<std::string> findProgram(const std::string& name);

class ChildProcess {
public:
    struct Handlers {
        // One line of standard output or standard error, without its end.
        std::function<void(std::string line)> line;
        // After its last line. The object may be destroyed in it.
        std::function<void(const ExitStatus& status)> ended;
    };

    // `command[0]` is a path. The child dies with SIGTERM when this process dies. To be called on
    // the loop's thread, like all of this class.
    static Result<std::unique_ptr<ChildProcess>> start(EventLoop& loop,
                                                       const std::vector<std::string>& command,
                                                       const std::vector<std::string>& environment,
                                                       Handlers handlers);
    // Kills the whole group if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const { return pid_; }
    void signalGroup(int signal) const;

private:
    ChildProcess(EventLoop& loop, Handlers handlers);
    void readOutput();
    void takeLines(bool all);
    void reap();

    EventLoop& loop_;
    Handlers handlers_;
    pid_t pid_ = -1;
    UniqueFd output_;
    UniqueFd pidFd_;
    std::string pending_;
};

}  // namespace fl::service
