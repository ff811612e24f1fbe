// SPDX-License-Identifier: Apache-2.0
#include "engine/service/board.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/base/version.h"
#include "engine/protocol/names.h"
#include "engine/service/clock.h"

namespace fl::service {

namespace {

namespace event = protocol::event;

constexpr std::size_t kLogLines = 1000;
constexpr std::size_t kChats = 100;
constexpr double kStepSeconds = 60;
constexpr std::array kStages = {stage::kInspect,  stage::kPlan,     stage::kLaunch, stage::kLoad,
                                stage::kValidate, stage::kBaseline, stage::kProbe};

// The entry of one rank, in order of ranks.
template <class T>
T& entryOf(std::vector<T>& entries, int rank) {
    auto place = std::lower_bound(entries.begin(), entries.end(), rank,
                                  [](const T& one, int wanted) { return one.rank < wanted; });
    if (place == entries.end() || place->rank != rank) {
        place = entries.insert(place, T());
        place->rank = rank;
    }
    return *place;
}

template <class T>
void dropOldest(std::vector<T>& entries, std::size_t limit) {
    if (entries.size() > limit)
        entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(limit));
}

std::vector<protocol::StageState> freshStages() {
    std::vector<protocol::StageState> out;
    for (const std::string_view name : kStages) {
        out.emplace_back();
        out.back().stage = name;
    }
    return out;
}

}  // namespace

Board::Board(Publish publish) : publish_(std::move(publish)) {
    state_.version = version();
    state_.pid = ::getpid();
    state_.stages = freshStages();
}

void Board::openJob(const protocol::JobSettings& settings) {
    protocol::Snapshot fresh;
    fresh.version = state_.version;
    fresh.pid = state_.pid;
    fresh.openedAt = unixTime();
    fresh.settings = settings;
    fresh.stages = freshStages();
    fresh.log = std::move(state_.log);
    state_ = std::move(fresh);
    metrics_ = std::make_unique<JobMetrics>();
    tell(event::kJobChanged, protocol::JobChanged{settings, state_.openedAt});
}

void Board::settings(const protocol::JobSettings& settings) {
    state_.settings = settings;
    tell(event::kSettingsChanged, settings);
}

protocol::StageState& Board::find(std::string_view name) {
    for (protocol::StageState& stage : state_.stages) {
        if (stage.stage == name)
            return stage;
    }
    return state_.stages.front();  // names are the constants of this header
}

const protocol::StageState& Board::stage(std::string_view name) const {
    return const_cast<Board*>(this)->find(name);
}

void Board::tellStage(protocol::StageState& stage) {
    if (stage.state == "running")
        stage.seconds = unixTime() - stage.startedAt;
    tell(event::kStageChanged, stage);
}

void Board::beginStage(std::string_view name) {
    std::erase_if(state_.findings,
                  [name](const Finding& finding) { return finding.stage == name; });
    protocol::StageState& stage = find(name);
    stage = {};
    stage.stage = name;
    stage.state = "running";
    stage.startedAt = unixTime();
    tellStage(stage);
}

void Board::progress(std::string_view name, double fraction, const std::string& text, double left) {
    protocol::StageState& stage = find(name);
    stage.progress = fraction;
    stage.progressText = text;
    stage.secondsLeft = left;
    tellStage(stage);
}

void Board::endStage(std::string_view name, std::string_view state, const std::string& summary) {
    protocol::StageState& stage = find(name);
    stage.seconds = unixTime() - stage.startedAt;
    stage.state = state;
    stage.summary = summary;
    stage.progress = -1;
    stage.progressText.clear();
    stage.secondsLeft = -1;
    tellStage(stage);
}

void Board::markStage(std::string_view name, std::string_view state, const std::string& summary) {
    protocol::StageState& stage = find(name);
    stage.state = state;
    stage.summary = summary;
    stage.progress = -1;
    stage.progressText.clear();
    stage.secondsLeft = -1;
    tellStage(stage);
}

void Board::census(const protocol::Census& census) {
    state_.hasCensus = true;
    state_.census = census;
    tell(event::kCensusChanged, census);
}

void Board::topology(const protocol::Topology& topology) {
    state_.hasTopology = true;
    state_.topology = topology;
    tell(event::kTopologyChanged, topology);
}

void Board::plan(const protocol::PlanInfo& plan) {
    state_.hasPlan = true;
    state_.plan = plan;
    tell(event::kPlanChanged, plan);
}

void Board::forgetRanks() {
    state_.ranks.clear();
    state_.load.clear();
    state_.memory.clear();
    state_.hasLost = false;
    state_.lost = {};
}

void Board::rank(const protocol::RankState& state) {
    entryOf(state_.ranks, state.rank) = state;
    tell(event::kRankChanged, state);
}

void Board::lost(const protocol::RankLost& lost) {
    state_.hasLost = true;
    state_.lost = lost;
    metrics_->rankLost();
    tell(event::kRankLost, lost);
}

void Board::load(const protocol::LoadProgress& progress) {
    entryOf(state_.load, progress.rank) = progress;
    tell(event::kLoadProgress, progress, Weight::Sample);
}

void Board::memory(const protocol::MemorySample& sample) {
    entryOf(state_.memory, sample.rank) = sample;
    tell(event::kMemorySample, sample, Weight::Sample);
}

void Board::step(const protocol::StepSample& sample) {
    metrics_->step(sample);
    const auto tooOld = [&sample](const protocol::StepSample& one) {
        return one.time < sample.time - kStepSeconds;
    };
    const auto keep = std::find_if_not(state_.steps.begin(), state_.steps.end(), tooOld);
    // Erasing from the front moves the rest: not for every step.
    if (keep - state_.steps.begin() > static_cast<std::ptrdiff_t>(state_.steps.size() / 4))
        state_.steps.erase(state_.steps.begin(), keep);
    state_.steps.push_back(sample);
    tell(event::kStepSample, sample, Weight::Sample);
}

void Board::dropped(int rank, std::int64_t samples) {
    metrics_->dropped(rank, samples);
    log({unixTime(), rank, "warning", "telemetry",
         fmt::format("{} samples of this rank were dropped so far", samples)});
}

void Board::log(const protocol::LogLine& line) {
    state_.log.push_back(line);
    if (state_.log.size() > 2 * kLogLines)
        dropOldest(state_.log, kLogLines);
    const bool matters = line.level == "warning" || line.level == "error";
    tell(event::kLogLine, line, matters ? Weight::Fact : Weight::Sample);
}

void Board::finding(const Finding& finding) {
    state_.findings.push_back(finding);
    tell(event::kFindingAdded, finding);
}

void Board::chatInfo(const protocol::ChatInfo& info) {
    state_.chat = info;
    tell(event::kChatChanged, info);
}

void Board::chatStarted(const protocol::ChatRequest& request) {
    state_.chats.push_back(request);
    state_.answers.emplace_back();
    state_.answers.back().request = request.request;
    dropOldest(state_.chats, kChats);
    dropOldest(state_.answers, kChats);
    tell(event::kChatStarted, request);
}

void Board::chatDelta(const protocol::ChatDelta& delta) {
    for (protocol::ChatDone& answer : state_.answers) {
        if (answer.request != delta.request)
            continue;
        answer.text += delta.text;
        answer.reasoning += delta.reasoning;
        answer.content += delta.content;
        for (const protocol::TokenInfo& token : delta.tokens)
            answer.ids.push_back(token.id);
    }
    tell(event::kChatDelta, delta);
}

void Board::chatDone(const protocol::ChatDone& done) {
    metrics_->chatDone(done);
    for (protocol::ChatDone& answer : state_.answers) {
        if (answer.request == done.request)
            answer = done;
    }
    tell(event::kChatDone, done);
}

protocol::Snapshot Board::snapshot() const {
    protocol::Snapshot out = state_;
    dropOldest(out.log, kLogLines);
    for (protocol::StageState& stage : out.stages) {
        if (stage.state == "running")
            stage.seconds = unixTime() - stage.startedAt;
    }
    return out;
}

}  // namespace fl::service
