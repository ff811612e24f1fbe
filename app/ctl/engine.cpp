// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/engine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/job_file.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/clock.h"
#include "engine/service/job_place.h"

namespace fl::app {

namespace {

namespace event = protocol::event;
namespace method = protocol::method;

struct Started {
    pid_t pid = -1;
    std::string socket;  // empty: it did not come up, and has said why
};

// Starts firstlightd in a process group of its own, so that Ctrl+C reaches it through us, and waits
// for the line with its socket.
Result<Started> startProgram(const std::vector<std::string>& arguments, bool diesWithUs) {
    const std::string program = programDir() + "/firstlightd";
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        return Error{ErrorCode::Io, "cannot make a pipe"};
    std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    Started out;
    out.pid = ::fork();
    if (out.pid == 0) {
        ::setpgid(0, 0);
        if (diesWithUs)
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        ::signal(SIGINT, SIG_DFL);
        ::signal(SIGTERM, SIG_DFL);
        ::dup2(pipe[1], STDOUT_FILENO);
        ::execv(program.c_str(), pointers.data());
        ::_exit(127);
    }
    ::close(pipe[1]);
    char byte = 0;
    for (ssize_t got = 0; (got = ::read(pipe[0], &byte, 1)) != 0;) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || byte == '\n')
            break;
        out.socket += byte;
    }
    ::close(pipe[0]);
    return out;
}

void waitFor(pid_t child) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

Error didNotStart() {
    return {ErrorCode::Io, "firstlightd did not start"};
}

// Says how each stage ended; on a terminal also how it goes, on one line that is written again and
// again.
class ProgressLine {
public:
    explicit ProgressLine(const Context& context)
        : on_(!context.quiet && !context.json),
          live_(on_ && ::isatty(STDERR_FILENO) == 1) {}
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const protocol::StageState& stage) {
        if (!on_)
            return;
        clear();
        if (stage.state == "running") {
            if (live_)
                fmt::print(stderr, "{}  {}", stage.stage, stage.progressText);
            shown_ = live_;
        } else if (stage.state != "idle") {
            fmt::print(stderr, "{:<8} {:<9} {}  ({})\n", stage.stage, stage.state, stage.summary,
                       formatDuration(stage.seconds));
        }
        std::fflush(stderr);
    }

private:
    void clear() {
        if (std::exchange(shown_, false))
            fmt::print(stderr, "\r\033[K");
    }

    bool on_;
    bool live_;
    bool shown_ = false;
};

}  // namespace

Engine::Engine(Engine&& other) noexcept
    : job_(std::move(other.job_)),
      client_(std::move(other.client_)),
      child_(std::exchange(other.child_, -1)) {}

Engine::~Engine() {
    client_.reset();
    if (child_ <= 0)
        return;
    ::kill(child_, SIGTERM);  // it leaves with its last client anyway, if it ever had one
    waitFor(child_);
}

Result<Engine> Engine::startPrivate(const Context& context) {
    Engine out;
    out.job_ = fmt::format("ctl-{}", ::getpid());
    FL_TRY(const Started started,
           startProgram({"--job", out.job_, "--idle-exit", "--log-level", context.logLevel}, true));
    out.child_ = started.pid;
    if (started.socket.empty())
        return didNotStart();
    FL_TRY(out.client_, service::Client::connect(started.socket, "firstlightctl", context.cancel));
    return out;
}

Result<Engine> Engine::startDetached(const Context& context, const std::string& job) {
    Engine out;
    out.job_ = job;
    FL_DO(service::checkJobName(job));
    FL_TRY(const Started started,
           startProgram({"--job", job, "--detach", "--log-level", "info"}, false));
    waitFor(started.pid);
    if (started.socket.empty())
        return didNotStart();
    auto client = service::Client::connect(started.socket, "firstlightctl", context.cancel);
    if (!client) {
        shutDown(job);
        return client.error();
    }
    out.client_ = *std::move(client);
    return out;
}

void shutDown(const std::string& job) {
    const auto socket = service::jobSocket(job);
    if (!socket)
        return;
    if (auto last = service::Client::connect(*socket, "firstlightctl", CancelToken()))
        (void)(*last)->call(method::kShutdown, Json::object());
    service::waitForEnd(job);
}

Status requireRunning(const std::string& job) {
    FL_TRY(const auto running, service::runningJobs());
    std::vector<std::string> names;
    for (const service::RunningJob& one : running)
        names.push_back(one.job);
    if (std::find(names.begin(), names.end(), job) != names.end())
        return Done{};
    return Error{ErrorCode::NotFound,
                 fmt::format("no engine runs for a job '{}'{}", job, nearest(job, names))};
}

Result<Engine> Engine::attach(const Context& context, const std::string& job) {
    Engine out;
    out.job_ = job;
    FL_DO(requireRunning(job));
    FL_TRY(const std::string socket, service::jobSocket(job));
    FL_TRY(out.client_, service::Client::connect(socket, "firstlightctl", context.cancel));
    return out;
}

Result<BroughtUp> bringUp(const Context& context,
                          service::Client& client,
                          const protocol::JobSettings& settings) {
    FL_TRY(const Json opened,
           client.call(method::kJobOpen, protocol::OpenRequest{settings, "load"}));
    BroughtUp out;
    ProgressLine line(context);
    for (;;) {
        FL_TRY(const auto event, client.nextEvent(3600));
        if (!event)
            continue;
        if (event->event == event::kJobChanged)
            out = {};
        if (event->event == event::kFindingAdded) {
            FL_TRY(auto finding, protocol::decode<Finding>(event->data));
            out.findings.push_back(std::move(finding));
        }
        if (event->event != event::kStageChanged)
            continue;
        FL_TRY(const auto stage, protocol::decode<protocol::StageState>(event->data));
        line.show(stage);
        const bool passed = stage.state == "passed" || stage.state == "warnings";
        if (stage.state == "failed" || stage.state == "cancelled") {
            out.stage = stage.stage;
            out.why = stage.summary;
            return out;
        }
        if (stage.stage == "load" && passed) {
            out.loaded = true;
            return out;
        }
    }
}

int finishFailed(const Context& context, const BroughtUp& result, Json document) {
    std::vector<Finding> findings = result.findings;
    // Errors of its own name say that the stage had nothing to judge: no checkpoint, no such
    // option.
    const bool judged = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.severity == Severity::Error && finding.code != result.stage + "-failed";
    });
    if (!hasErrors(findings)) {
        Finding finding;
        finding.code = result.stage + "-failed";
        finding.stage = result.stage;
        finding.message = result.why;
        findings.push_back(std::move(finding));
    }
    if (context.json)
        finishJson(std::move(document), findings);
    else
        finishText(findings);
    // Files and plans were judged; ranks that do not come up never got that far.
    return judged && (result.stage == "inspect" || result.stage == "plan") ? kNegative
                                                                           : kCouldNotRun;
}

Result<Target> reachTarget(const Context& context, const JobOptions& options) {
    std::error_code problem;
    const bool isPath =
        options.checkpoint.empty() || std::filesystem::exists(options.checkpoint, problem);
    if (!isPath) {
        auto running = Engine::attach(context, options.checkpoint);
        if (!running)
            return Error{running.error().code,
                         fmt::format("there is neither a checkpoint nor a running job '{}': {}",
                                     options.checkpoint, running.error().message)};
        protocol::Snapshot state = running->client().snapshot();
        return Target{std::move(*running), std::move(state), {}};
    }
    FL_TRY(const auto settings, settingsOf(options));
    FL_TRY(Engine engine, Engine::startPrivate(context));
    FL_TRY(auto result, bringUp(context, engine.client(), settings));
    if (!result.loaded)
        return Target{std::move(engine), {}, std::move(result)};
    FL_TRY(const Json answer, engine.client().call(method::kSnapshot, Json::object()));
    FL_TRY(auto state, protocol::decode<protocol::Snapshot>(answer));
    return Target{std::move(engine), std::move(state), {}};
}

}  // namespace fl::app
