// SPDX-License-Identifier: Apache-2.0
#include "app/control_program.h"

#include <array>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/linked_plugins.h"
#include "engine/base/log.h"
#include "engine/base/paths.h"
#include "engine/base/unique_fd.h"
#include "engine/base/version.h"
#include "engine/service/event_loop.h"
#include "engine/service/job_place.h"
#include "engine/service/session.h"

namespace fl::app {

namespace {

constexpr int kCouldNotStart = 3;

// Signals arrive as bytes on this descriptor, between callbacks. Blocked in all threads to come.
UniqueFd blockSignals() {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGINT);
    ::sigaddset(&wanted, SIGTERM);
    ::sigaddset(&wanted, SIGHUP);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    return UniqueFd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

void openLog(const ControlOptions& options) {
    if (const auto level = log::levelFromName(options.logLevel))
        log::setLevel(*level);
    const std::string path = fmt::format("{}/runs/{}/control.log", stateDir(), options.job);
    if (const Status opened = log::openFile(path); !opened)
        log::warning("log", "no log file: {}", opened.error().message);
}

// Nobody reads them any more, and a closed terminal must not stop the engine.
void closeStandardStreams() {
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(nothing.get(), stream);
}

Status serve(const ControlOptions& options) {
    const UniqueFd signals = blockSignals();
    FL_TRY(const service::JobPlace place, service::JobPlace::take(options.job));
    service::EventLoop loop;
    service::SessionOptions settings;
    settings.plugins = linkedPlugins();
    settings.pluginFolders = pluginFolders();
    settings.ranks.launcher = options.launcher;
    settings.leaveWithLastClient = options.idleExit;
    service::Session session(loop, place, std::move(settings));
    openLog(options);
    FL_DO(session.listen());
    loop.watch(signals.get(), POLLIN, [&](short) {
        signalfd_siginfo facts{};
        if (::read(signals.get(), &facts, sizeof facts) == sizeof facts)
            session.shutdown();
    });
    log::info("service", "firstlightd {} serves job {} on {}", version(), options.job,
              place.socket());
    fmt::print("{}\n", place.socket());
    std::fflush(stdout);
    if (options.detach)
        closeStandardStreams();
    loop.run();
    return Done{};
}

int report(const Status& status) {
    if (status)
        return 0;
    fmt::print(stderr, "firstlightd: {}\n", status.error().message);
    return kCouldNotStart;
}

// The parent stays until the child has closed standard output: it serves then, or has said why not.
int serveDetached(const ControlOptions& options) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return kCouldNotStart;
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(pipe[0]);
        ::setsid();
        ::dup2(pipe[1], STDOUT_FILENO);
        ::close(pipe[1]);
        return report(serve(options));
    }
    ::close(pipe[1]);
    std::string said;
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = ::read(pipe[0], bytes.data(), bytes.size())) > 0;)
        said.append(bytes.data(), static_cast<std::size_t>(got));
    ::close(pipe[0]);
    fmt::print("{}", said);
    return said.empty() ? kCouldNotStart : 0;
}

}  // namespace

int runControlProgram(const ControlOptions& options) {
    return options.detach ? serveDetached(options) : report(serve(options));
}

}  // namespace fl::app
