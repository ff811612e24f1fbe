// SPDX-License-Identifier: Apache-2.0
// firstlightctl launch, attach, status, stop and proxy: engines that outlive the terminal.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "app/ctl/context.h"
#include "app/ctl/engine.h"
#include "app/job_file.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/metric_messages.h"
#include "engine/protocol/names.h"
#include "engine/service/address.h"
#include "engine/service/job_place.h"

namespace fl::app {

namespace {

namespace event = protocol::event;
namespace method = protocol::method;

// The last stage that got somewhere, in two words: "load passed".
std::string stateOf(const protocol::Snapshot& state) {
    std::string out = "idle";
    for (const protocol::StageState& stage : state.stages) {
        const bool counts =
            stage.stage != "validate" && stage.stage != "baseline" && stage.stage != "probe";
        if (counts && stage.state != "idle")
            out = stage.stage + " " + stage.state;
    }
    return out;
}

Json document(const std::string& job, const std::string& socket, const protocol::Snapshot& state) {
    Json out = Json::object();
    out.append("job", job);
    out.append("state", stateOf(state));
    out.append("ranks", protocol::encode(state.ranks));
    out.append("socket", socket);
    out.append("pid", state.pid);
    out.append("checkpoint", state.settings.checkpoint);
    out.append("plan", state.plan.name);
    out.append("stages", protocol::encode(state.stages));
    out.append("topology", protocol::encode(state.topology));
    return out;
}

std::vector<std::string> row(const std::string& job, const protocol::Snapshot& state) {
    const auto alive = std::count_if(state.ranks.begin(), state.ranks.end(), [](const auto& rank) {
        return rank.phase != "stopped" && rank.phase != "lost";
    });
    return {job,
            std::to_string(state.pid),
            stateOf(state),
            fmt::format("{}/{}", alive, state.ranks.size()),
            state.plan.name,
            state.settings.checkpoint};
}

const std::vector<std::string> kHeadings = {"job", "pid", "state", "ranks", "plan", "checkpoint"};

Result<int> launch(const Context& context, JobOptions options) {
    // A job file may stand in the checkpoint's place.
    if (options.checkpoint.ends_with(".json") && !options.jobFile) {
        options.jobFile = options.checkpoint;
        options.checkpoint.clear();
    }
    FL_TRY(auto settings, settingsOf(options));
    if (settings.job.empty())
        settings.job = jobNameFor(settings.checkpoint);
    FL_TRY(const Engine engine, Engine::startDetached(context, settings.job));
    auto result = bringUp(context, engine.client(), settings);
    if (!result || !result->loaded) {
        shutDown(settings.job);
        if (!result)
            return result.error();
        return finishFailed(context, *result);
    }
    FL_TRY(const Json answer, engine.client().call(method::kSnapshot, Json::object()));
    FL_TRY(const auto state, protocol::decode<protocol::Snapshot>(answer));
    FL_TRY(const std::string socket, service::jobSocket(settings.job));
    if (context.json)
        return finishJson(document(settings.job, socket, state), result->findings);
    fmt::print("{}", table(kHeadings, {row(settings.job, state)}, "lrlrll"));
    return finishText(result->findings);
}

// Follows what happens until Ctrl+C or the engine's end; the engine goes on.
Result<int> follow(const Context& context, service::Client& client) {
    while (!context.cancel.cancelled()) {
        const auto event = client.nextEvent(0.2);
        if (!event && event.error().code == ErrorCode::Cancelled)
            break;
        if (!event && event.error().code == ErrorCode::Io) {
            fmt::print("{}\n", event.error().message);
            return kFine;
        }
        FL_TRY(const auto fact, event);
        if (!fact)
            continue;
        if (fact->event == event::kStageChanged && fact->data["state"].string() != "running")
            fmt::print("{} {}: {}\n", fact->data["stage"].string(), fact->data["state"].string(),
                       fact->data["summary"].string());
        if (fact->event == event::kLogLine)
            fmt::print("rank {} {} {}: {}\n", fact->data["rank"].integer(),
                       fact->data["level"].string(), fact->data["category"].string(),
                       fact->data["text"].string());
        if (fact->event == event::kFindingAdded) {
            FL_TRY(const auto finding, protocol::decode<Finding>(fact->data));
            fmt::print("{}\n", text(finding));
        }
        std::fflush(stdout);
    }
    return kInterrupted;
}

Result<int> attach(const Context& context, const std::string& job) {
    FL_TRY(const Engine engine, Engine::attach(context, job));
    const protocol::Snapshot& state = engine.client().snapshot();
    FL_TRY(const std::string socket, service::jobSocket(job));
    if (context.json)
        return finishJson(document(job, socket, state), state.findings);
    fmt::print("{}", table(kHeadings, {row(job, state)}, "lrlrll"));
    for (const Finding& finding : state.findings)
        fmt::print("{}\n", text(finding));
    std::fflush(stdout);
    return follow(context, engine.client());
}

struct Look {
    protocol::Snapshot state;
    Json document;
};

Result<Look> look(const Context& context, const service::RunningJob& job) {
    FL_TRY(const auto client,
           service::Client::connect(job.socket, "firstlightctl", context.cancel));
    FL_TRY(const Json metrics, client->call(method::kMetrics, Json::object()));
    Look out;
    out.state = client->snapshot();
    out.document = document(job.job, job.socket, out.state);
    out.document.append("metrics", metrics["metrics"]);
    return out;
}

// An engine that runs and does not talk to us: of another version, or stuck.
Json unknown(const service::RunningJob& job, const Error& error) {
    Json out = Json::object();
    out.append("job", job.job);
    out.append("state", "unknown");
    out.append("ranks", Json::array());
    out.append("socket", job.socket);
    out.append("pid", static_cast<std::int64_t>(job.pid));
    out.append("error", error.message);
    return out;
}

Result<int> status(const Context& context, const std::string& only) {
    FL_TRY(const auto running, service::runningJobs());
    Json jobs = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const service::RunningJob& one : running) {
        if (!only.empty() && one.job != only)
            continue;
        auto found = look(context, one);
        if (!found) {
            rows.push_back({one.job, std::to_string(one.pid), found.error().message, "", "", ""});
            jobs.push(unknown(one, found.error()));
            continue;
        }
        rows.push_back(row(one.job, found->state));
        jobs.push(std::move(found->document));
    }
    if (!only.empty() && rows.empty())
        return Error{ErrorCode::NotFound, "no engine runs for a job '" + only + "'"};
    if (context.json && !only.empty())
        return finishJson(jobs.items().front(), {});
    if (context.json) {
        Json out = Json::object();
        out.append("jobs", std::move(jobs));
        return finishJson(std::move(out), {});
    }
    fmt::print("{}", rows.empty() ? "no engine runs\n" : table(kHeadings, rows, "lrlrll"));
    return kFine;
}

Result<int> stop(const Context& context, const std::string& job) {
    {
        FL_TRY(const Engine engine, Engine::attach(context, job));
        FL_TRY(const Json answer, engine.client().call(method::kShutdown, Json::object()));
    }
    service::waitForEnd(job);
    FL_DO(context.cancel.check("stop"));
    if (context.json) {
        Json out = Json::object();
        out.append("job", job);
        out.append("state", "stopped");
        return finishJson(std::move(out), {});
    }
    if (!context.quiet)
        fmt::print("{} stopped\n", job);
    return kFine;
}

bool copy(int from, int to) {
    std::array<char, 65536> bytes{};
    const auto got = ::read(from, bytes.data(), bytes.size());
    for (ssize_t sent = 0; sent < got;) {
        const auto put = ::write(to, bytes.data() + sent, static_cast<std::size_t>(got - sent));
        if (put <= 0)
            return false;
        sent += put;
    }
    return got > 0;
}

// The same bytes over standard input and output: for ssh.
Result<int> proxy(const Context& context, const std::string& job) {
    FL_DO(requireRunning(job));
    FL_TRY(const std::string path, service::jobSocket(job));
    FL_TRY(const UniqueFd socket, service::connectTo("unix:" + path));
    while (!context.cancel.cancelled()) {
        std::array<pollfd, 2> ends = {pollfd{STDIN_FILENO, POLLIN, 0},
                                      pollfd{socket.get(), POLLIN, 0}};
        if (::poll(ends.data(), ends.size(), -1) < 0)
            continue;
        if (ends[0].revents != 0 && !copy(STDIN_FILENO, socket.get()))
            return kFine;
        if (ends[1].revents != 0 && !copy(socket.get(), STDOUT_FILENO))
            return kFine;
    }
    return kInterrupted;
}

template <class Work>
void addJobVerb(CLI::App& program,
                Context& context,
                const char* name,
                const char* does,
                const char* example,
                bool required,
                const Work& work) {
    CLI::App* verb = addVerb(program, context, name, does);
    const auto job = std::make_shared<std::string>();
    verb->add_option("JOB", *job, "The job's name")->required(required);
    verb->footer(std::string("Example: firstlightctl ") + example);
    verb->callback([&context, job, work] {
        context.run = [&context, job, work] { return work(context, *job); };
    });
}

}  // namespace

void addJobs(CLI::App& program, Context& context) {
    CLI::App* verb =
        addVerb(program, context, "launch", "Bring a model up in an engine that stays");
    const auto options = std::make_shared<JobOptions>();
    verb->add_option("CHECKPOINT|JOBFILE", options->checkpoint, "Model, or a job file (.json)");
    verb->add_option("--name", options->job, "The job's name; default: the checkpoint's");
    addPlanOptions(*verb, *options);
    verb->footer("Example: firstlightctl launch MODEL --name day0 --tp 3 --pp 2");
    verb->callback([&context, options] {
        context.run = [&context, options] { return launch(context, *options); };
    });
    addJobVerb(program, context, "attach", "Show a running engine and follow it", "attach day0",
               true, attach);
    addJobVerb(program, context, "status", "Engines that run", "status --json", false, status);
    addJobVerb(program, context, "stop", "End an engine and its ranks", "stop day0", true, stop);
    addJobVerb(program, context, "proxy", "Copy an engine's bytes over standard input and output",
               "proxy day0", true, proxy);
}

}  // namespace fl::app
