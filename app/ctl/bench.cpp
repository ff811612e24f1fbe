// SPDX-License-Identifier: Apache-2.0
// firstlightctl bench: what the machine can do, and how much of it the engine reaches. Machines
// change within minutes, so both are measured together and the ratio is the result.
#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "app/ctl/context.h"
#include "app/ctl/engine.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "kernels/cpu/machine_probe.h"

namespace fl::app {

namespace {

namespace event = protocol::event;
namespace method = protocol::method;

struct BenchVerb {
    JobOptions job;
    int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    int tokens = 128;
    int runs = 5;
};

Result<kernels::cpu::MachineFigures> probe(int threads) {
    kernels::cpu::ProbeOptions options;
    options.threads = threads;
    try {
        return kernels::cpu::probeMachine(options);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "no memory for the probe"};
    } catch (const std::system_error& problem) {
        return Error{ErrorCode::Io,
                     std::string("cannot start the probe's threads: ") + problem.what()};
    }
}

Json document(const kernels::cpu::MachineFigures& machine) {
    Json out = Json::object();
    out.append("instruction_set", machine.instructionSet);
    out.append("threads", machine.threads);
    out.append("read_bytes_per_s", machine.readBytesPerSecond);
    out.append("read_bytes_per_s_one_thread", machine.readBytesPerSecondOneThread);
    out.append("f32_flops", machine.flops);
    out.append("f32_flops_one_thread", machine.flopsOneThread);
    return out;
}

std::string rate(double bytesPerSecond) {
    return formatBytes(static_cast<std::int64_t>(bytesPerSecond)) + "/s";
}

Result<int> benchMachine(const Context& context, const BenchVerb& verb) {
    FL_TRY(const auto machine, probe(verb.threads));
    if (context.json) {
        Json out = Json::object();
        out.append("machine", document(machine));
        return finishJson(std::move(out), {});
    }
    fmt::print("{} threads, {}\n", machine.threads, machine.instructionSet);
    fmt::print("{}", table({"", "1 thread", "all threads"},
                           {{"read", rate(machine.readBytesPerSecondOneThread),
                             rate(machine.readBytesPerSecond)},
                            {"f32", fmt::format("{:.0f} GFLOP/s", machine.flopsOneThread / 1e9),
                             fmt::format("{:.0f} GFLOP/s", machine.flops / 1e9)}},
                           "lrr"));
    return kFine;
}

std::int64_t valueOf(const std::vector<protocol::Named>& rows, std::string_view name) {
    for (const protocol::Named& row : rows) {
        if (row.name == name)
            return row.value;
    }
    return 0;
}

// Weights that one decoded token reads: of the experts the chosen share, and of the embedding one
// row, unless it is the head too.
double bytesPerToken(const protocol::Census& census) {
    const auto expert = static_cast<double>(valueOf(census.parametersByKind, "routed_experts"));
    const double others = static_cast<double>(census.parameters) - expert;
    const double share =
        expert > 0 ? (static_cast<double>(census.activeParameters) - others) / expert : 0;
    const bool ownHead = valueOf(census.bytesByKind, "head") > 0;
    double out = 0;
    for (const protocol::Named& kind : census.bytesByKind) {
        if (kind.name == "embedding" && ownHead)
            continue;
        out += static_cast<double>(kind.value) * (kind.name == "routed_experts" ? share : 1);
    }
    return out;
}

Result<protocol::Timing> decodeOnce(service::Client& client, int number, int tokens) {
    protocol::ChatRequest request;
    request.request = fmt::format("bench-{}-{}", ::getpid(), number);
    request.messages = {{"user", "Tell a long story about an observatory and its telescope."}};
    request.sampling.maxTokens = tokens;
    FL_TRY(const Json started, client.call(method::kChatSend, request));
    for (;;) {
        FL_TRY(const auto event, client.nextEvent(3600));
        if (!event || event->event != event::kChatDone ||
            event->data["request"].string() != request.request)
            continue;
        FL_TRY(const auto done, protocol::decode<protocol::ChatDone>(event->data));
        if (done.finish == "error")
            return Error{ErrorCode::Io, done.error};
        return done.timing;
    }
}

Result<int> benchDecode(const Context& context, const BenchVerb& verb) {
    FL_TRY(const auto before, probe(verb.threads));
    FL_TRY(const Target target, reachTarget(context, verb.job));
    if (target.failed)
        return finishFailed(context, *target.failed);
    std::vector<double> rates;
    for (int run = 0; run <= verb.runs; ++run) {
        FL_TRY(const auto timing, decodeOnce(target.engine.client(), run, verb.tokens));
        if (run > 0)  // the first warms caches and pages
            rates.push_back(timing.tokensPerSecond);
    }
    FL_TRY(const auto after, probe(verb.threads));
    std::sort(rates.begin(), rates.end());
    const double tokensPerSecond = rates[rates.size() / 2];
    const double limit = std::max(before.readBytesPerSecond, after.readBytesPerSecond);
    const double bytes = bytesPerToken(target.state.census);
    const double value = tokensPerSecond * bytes;
    if (context.json) {
        Json result = Json::object();
        result.append("value", value);
        result.append("limit", limit);
        result.append("ratio", value / limit);
        result.append("tokens_per_s", tokensPerSecond);
        result.append("tokens_per_s_lowest", rates.front());
        result.append("tokens_per_s_highest", rates.back());
        result.append("bytes_per_token", bytes);
        Json out = Json::object();
        out.append("machine", document(after));
        out.append("plan", target.state.plan.name);
        out.append("result", std::move(result));
        return finishJson(std::move(out), {});
    }
    fmt::print("{}: {:.1f} tokens/s ({:.1f} … {:.1f}), {} a token: {} of {} read, ratio {:.2f}\n",
               target.state.plan.name, tokensPerSecond, rates.front(), rates.back(),
               formatBytes(static_cast<std::int64_t>(bytes)), rate(value), rate(limit),
               value / limit);
    return kFine;
}

}  // namespace

void addBench(CLI::App& program, Context& context) {
    CLI::App* bench = program.add_subcommand("bench", "The engine against what the machine can do");
    bench->require_subcommand(1);
    const auto options = std::make_shared<BenchVerb>();
    CLI::App* machine = addVerb(*bench, context, "machine", "Read bandwidth and arithmetic");
    machine->add_option("--threads", options->threads, "Of the probe")->check(CLI::Range(1, 4096));
    machine->footer("Example: firstlightctl bench machine --json");
    machine->callback([&context, options] {
        context.run = [&context, options] { return benchMachine(context, *options); };
    });
    CLI::App* decode = addVerb(*bench, context, "decode", "Decoding against read bandwidth");
    decode->add_option("CHECKPOINT|JOB", options->job.checkpoint, "Model, or a running job");
    decode->add_option("--threads", options->threads, "Of the probe")->check(CLI::Range(1, 4096));
    decode->add_option("--tokens", options->tokens, "Per run")->check(CLI::Range(2, 1 << 20));
    decode->add_option("--runs", options->runs, "The median counts")->check(CLI::Range(1, 1000));
    addPlanOptions(*decode, options->job);
    decode->footer("Example: firstlightctl bench decode MODEL --cluster cpu:cards=1,threads=2");
    decode->callback([&context, options] {
        context.run = [&context, options] { return benchDecode(context, *options); };
    });
}

}  // namespace fl::app
