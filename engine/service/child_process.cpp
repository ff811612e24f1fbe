// SPDX-License-Identifier: Apache-2.0
#include "engine/service/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/text.h"

extern char** environ;

namespace fl::service {

namespace {

// A line without an end must not eat the memory.
constexpr std::size_t kMaxLine = std::size_t{64} << 10;

std::string errorText(int number) {
    return std::strerror(number);
}  // NOLINT(concurrency-mt-unsafe)

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    out.reserve(texts.size() + 1);
    for (const std::string& text : texts)
        out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

std::vector<std::string> fullEnvironment(const std::vector<std::string>& additions) {
    std::vector<std::string> out;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry = *variable;
        const std::string_view key = entry.substr(0, entry.find('=') + 1);
        bool replaced = false;
        for (const std::string& addition : additions)
            replaced = replaced || addition.starts_with(key);
        if (!replaced)
            out.emplace_back(entry);
    }
    out.insert(out.end(), additions.begin(), additions.end());
    return out;
}

// Runs between fork and exec: only calls that are safe in a copy of a process with threads.
[[noreturn]] void becomeChild(char* const* arguments,
                              char* const* variables,
                              int output,
                              int failure) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGPIPE, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execve(arguments[0], arguments, variables);
    const int number = errno;
    [[maybe_unused]] const auto told = ::write(failure, &number, sizeof number);
    ::_exit(127);
}

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

Result<Pipe> makePipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
        return Error{ErrorCode::Io, "cannot make a pipe: " + errorText(errno)};
    return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace

std::string text(const ExitStatus& status) {
    if (status.signal == 0)
        return fmt::format("exit code {}", status.code);
    const char* name = ::sigabbrev_np(status.signal);
    return fmt::format("signal {} (SIG{})", status.signal, name != nullptr ? name : "?");
}

Result<std::string> findProgram(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (::access(name.c_str(), X_OK) == 0)
            return name;
        return Error{ErrorCode::NotFound, name + " is no program that can be run"};
    }
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): set before threads
    for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
        const std::string candidate = folder + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return Error{ErrorCode::NotFound, "no program " + name + " in PATH"};
}

ChildProcess::ChildProcess(EventLoop& loop, Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)) {}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(
    EventLoop& loop,
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment,
    Handlers handlers) {
    FL_TRY(Pipe output, makePipe());
    FL_TRY(Pipe failure, makePipe());
    const auto arguments = pointers(command);
    const auto variables = fullEnvironment(environment);
    const auto variablePointers = pointers(variables);
    std::unique_ptr<ChildProcess> child(new ChildProcess(loop, std::move(handlers)));
    child->pid_ = ::fork();
    if (child->pid_ < 0)
        return Error{ErrorCode::Io, "cannot start a process: " + errorText(errno)};
    if (child->pid_ == 0)
        becomeChild(arguments.data(), variablePointers.data(), output.write.get(),
                    failure.write.get());
    ::setpgid(child->pid_, child->pid_);  // on both sides: whoever comes first
    failure.write.reset();
    int number = 0;
    if (::read(failure.read.get(), &number, sizeof number) == sizeof number) {
        ::waitpid(child->pid_, nullptr, 0);
        child->pid_ = -1;
        return Error{ErrorCode::Io,
                     fmt::format("cannot run {}: {}", command.front(), errorText(number))};
    }
    child->output_ = std::move(output.read);
    ::fcntl(child->output_.get(), F_SETFL, O_NONBLOCK);
    child->pidFd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child->pid_, 0)));
    if (!child->pidFd_)
        return Error{ErrorCode::Io, "cannot watch a process: " + errorText(errno)};
    ChildProcess* self = child.get();
    loop.watch(self->output_.get(), POLLIN, [self](short) { self->readOutput(); });
    loop.watch(self->pidFd_.get(), POLLIN, [self](short) { self->reap(); });
    return child;
}

ChildProcess::~ChildProcess() {
    if (output_)
        loop_.forget(output_.get());
    if (pidFd_)
        loop_.forget(pidFd_.get());
    if (pid_ > 0) {
        signalGroup(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void ChildProcess::signalGroup(int signal) const {
    if (pid_ > 0)
        ::kill(-pid_, signal);
}

void ChildProcess::readOutput() {
    std::array<char, 16384> bytes{};
    for (;;) {
        const auto got = ::read(output_.get(), bytes.data(), bytes.size());
        if (got < 0)
            return;
        if (got == 0)
            break;
        pending_.append(bytes.data(), static_cast<std::size_t>(got));
        takeLines(false);
    }
    loop_.forget(output_.get());
    output_.reset();
    takeLines(true);
}

void ChildProcess::takeLines(bool all) {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos;) {
        handlers_.line(pending_.substr(begin, end - begin));
        begin = end + 1;
    }
    pending_.erase(0, begin);
    if (!pending_.empty() && (all || pending_.size() > kMaxLine))
        handlers_.line(std::exchange(pending_, ""));
}

void ChildProcess::reap() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_)
        return;
    // What it wrote last lies in the pipe; what its children may still write does not matter.
    if (output_)
        readOutput();
    loop_.forget(pidFd_.get());
    pidFd_.reset();
    // Whatever it left behind in its group goes with it.
    ::kill(-pid_, SIGKILL);
    pid_ = -1;
    ExitStatus out;
    if (WIFSIGNALED(status))
        out.signal = WTERMSIG(status);
    else
        out.code = WEXITSTATUS(status);
    const auto ended = handlers_.ended;  // a copy: the call may destroy this object
    ended(out);
}

}  // namespace fl::service
