// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_serving.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/log.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/capture_files.h"
#include "engine/service/clock.h"

namespace fl::service {

namespace {

// The first byte of what rank 0 sends; a step follows at once, a capture's step in a second text.
constexpr char kStepText = 'S';
constexpr char kCaptureText = 'C';

scheduler::Limits limitsOf(const RankStation& team) {
    const plan::Plan& plan = team.placement().plan;
    scheduler::Limits limits;
    limits.replicas = plan.mesh.dp;
    limits.pages = plan.kvPagesPerReplica;
    limits.pageTokens = plan.options.pageTokens;
    limits.maxSequences = plan.options.maxSequences;
    limits.maxBatchTokens = plan.options.maxBatchTokens;
    limits.maxContext = plan.options.maxContext;
    limits.vocabulary = team.inspection().model.graph.vocabSize;
    return limits;
}

protocol::TokenInfo tokenInfo(const runtime::Sampled& sampled) {
    protocol::TokenInfo out;
    out.id = sampled.id;
    out.logprob = sampled.logprob;
    out.alternatives = sampled.alternatives;
    out.alternativeLogprobs.assign(sampled.alternativeLogprobs.begin(),
                                   sampled.alternativeLogprobs.end());
    return out;
}

// A NaN ends one request with an error, but the model is what is wrong.
Finding notFinite(const std::string& request) {
    Finding finding;
    finding.code = "logits-not-finite";
    finding.stage = "probe";
    finding.message = "the model's logits are not finite numbers (request " + request + ")";
    finding.expected = "finite logits";
    finding.found = "NaN or infinity";
    finding.remedy = "validate the checkpoint against a reference to find the first wrong layer";
    return finding;
}

}  // namespace

RankServing::RankServing(RankStation& team, RankEngine& engine, RankReporter& reporter)
    : team_(team),
      engine_(engine),
      reporter_(reporter),
      scheduler_(limitsOf(team)) {}

void RankServing::take(const RankInbox::Message& message) {
    Status understood = Done{};
    if (message.method == protocol::link::kSubmit) {
        const auto request = protocol::decode<protocol::SubmitRequest>(message.params);
        if (request)
            submit(*request);
        else
            understood = request.error();
    } else if (message.method == protocol::link::kCancel) {
        const std::string& name = message.params["request"].string();
        scheduler_.cancel(name);
        dropCapture(name);
    } else if (message.method == protocol::link::kCapture) {
        auto request = protocol::decode<protocol::CaptureRequest>(message.params);
        if (request)
            captures_.push_back(*std::move(request));
        else
            understood = request.error();
    }
    if (!understood)
        log::warning("rank", "{}: {}", message.method, understood.error().message);
    reportOutputs();
}

void RankServing::submit(const protocol::SubmitRequest& request) {
    scheduler::Request asked;
    asked.name = request.request;
    asked.ids = request.ids;
    asked.stopIds = request.stopIds;
    asked.maxTokens = request.sampling.maxTokens;
    asked.replica = request.replica;
    asked.sampling.temperature = static_cast<float>(request.sampling.temperature);
    asked.sampling.topK = request.sampling.topK;
    asked.sampling.topP = static_cast<float>(request.sampling.topP);
    asked.sampling.minP = static_cast<float>(request.sampling.minP);
    asked.sampling.seed = static_cast<std::uint64_t>(request.sampling.seed);
    asked.sampling.alternatives = std::clamp(request.logprobs, 0, runtime::kMaxAlternatives);
    scheduler_.submit(std::move(asked));
}

Result<bool> RankServing::turn() {
    if (!leads())
        return follow();
    FL_TRY(const bool captured, leadCapture());
    if (!scheduler_.hasWork())
        return captured;
    if (auto done = step(); !done) {
        scheduler_.failAll(done.error().message);
        reportOutputs();
        return done.error();
    }
    return true;
}

Status RankServing::step() {
    const double begin = steadyTime();
    const auto step = scheduler_.compose();
    FL_DO(team_.world().broadcastText(kStepText + runtime::encode(*step)));
    FL_TRY(const auto samples, engine_.run(*step));
    FL_DO(scheduler_.complete(samples));
    reportOutputs();
    reportStep(steadyTime() - begin);
    return Done{};
}

void RankServing::dropCapture(const std::string& name) {
    if (scheduler_.capturing() && captures_.front().capture == name)
        scheduler_.endCapture();
    std::erase_if(captures_, [&](const auto& waiting) { return waiting.capture == name; });
}

// One chunk of the capture whose turn it is; other requests have their steps in between.
Result<bool> RankServing::leadCapture() {
    if (captures_.empty())
        return false;
    const protocol::CaptureRequest& request = captures_.front();
    if (!scheduler_.capturing()) {
        const Status begun = scheduler_.beginCapture(request.ids, request.replica);
        if (!begun && begun.error().code == ErrorCode::OutOfMemory && scheduler_.hasWork())
            return false;  // once requests have ended there will be pages
        if (!begun) {
            reporter_.send(protocol::link::kCaptured,
                           protocol::RankCaptured{0, request.capture, {}, begun.error().message});
            captures_.pop_front();
            return true;
        }
        capturePart_ = 0;
    }
    const runtime::Step step = scheduler_.composeCapture();
    const protocol::CapturePart part{request.capture, request.folder, request.replica,
                                     capturePart_++, scheduler_.captured()};
    FL_DO(team_.world().broadcastText(kCaptureText + protocol::encode(part).dump()));
    FL_DO(team_.world().broadcastText(runtime::encode(step)));
    FL_DO(capture(part, step));
    if (part.last) {
        scheduler_.endCapture();
        captures_.pop_front();
    }
    return true;
}

Result<bool> RankServing::follow() {
    comm::HostCollectives& world = team_.world();
    FL_TRY(const std::int64_t arrived, world.messenger().probe(0, comm::Channel::Control));
    if (arrived < 0)
        return false;
    FL_TRY(const std::string text, world.receiveText(0, world.rules()));
    const std::string_view rest = std::string_view(text).substr(text.empty() ? 0 : 1);
    if (text.starts_with(kStepText)) {
        FL_TRY(const auto step, runtime::decodeStep(rest));
        FL_TRY(const auto samples, engine_.run(step));
        return true;
    }
    FL_TRY(const Json json, Json::parse(rest));
    FL_TRY(const auto part, protocol::decode<protocol::CapturePart>(json));
    FL_TRY(const std::string stepText, world.receiveText(0, world.rules()));
    FL_TRY(const auto step, runtime::decodeStep(stepText));
    FL_DO(capture(part, step));
    return true;
}

Status RankServing::capture(const protocol::CapturePart& part, const runtime::Step& step) {
    FL_TRY(auto captured, engine_.capture(step));
    const int rank = team_.world().rank();
    // The other replicas took part where experts span them, but have nothing to say.
    if (plan::coordinates(team_.placement().plan.mesh, rank).dp != part.replica)
        return Done{};
    if (part.part == 0)
        captured_ = {rank, part.capture, {}, ""};
    std::vector<checkpoint::NamedArray> arrays;
    for (runtime::CapturedValue& value : captured)
        arrays.push_back({value.name, {value.rows, value.width}, std::move(value.values)});
    if (!arrays.empty()) {
        if (auto kept = keepCapture(reporter_, part, arrays); !kept)
            captured_.error = kept.error().message;
        captured_.files.push_back(captureFile(part.folder, rank, part.part));
    }
    if (part.last)
        reporter_.send(protocol::link::kCaptured, captured_);
    return Done{};
}

void RankServing::reportOutputs() {
    for (const scheduler::Output& output : scheduler_.takeOutputs()) {
        protocol::RankTokens tokens{output.request, {}, output.finish, output.error};
        for (const runtime::Sampled& sampled : output.tokens)
            tokens.tokens.push_back(tokenInfo(sampled));
        reporter_.send(protocol::link::kTokens, tokens);
        if (output.notFinite)
            reporter_.phase("serving", {notFinite(output.request)});
    }
}

void RankServing::reportStep(double seconds) {
    const scheduler::StepCounts& counts = scheduler_.counts();
    telemetry::StepRecord record;
    record.time = unixTime();
    record.seconds = seconds;
    record.prefillTokens = counts.prefillTokens;
    record.decodeTokens = counts.decodeTokens;
    record.running = counts.running;
    record.waiting = counts.waiting;
    record.pagesUsed = counts.pagesUsed;
    record.pages = counts.pages;
    reporter_.record(record);
}

}  // namespace fl::service
