// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_team.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/names.h"
#include "engine/service/clock.h"

namespace fl::service {

namespace {

namespace link = protocol::link;

constexpr double kTellSeconds = 0.1;

template <class T, class Use>
void with(const Json& params, const Use& use) {
    if (const auto value = protocol::decode<T>(params))
        use(*value);
}

std::string remedyFor(const protocol::RankLost& lost) {
    if (lost.signal == SIGKILL)
        return "restart; if nobody killed it, the machine ran out of memory (dmesg says so): plan "
               "with less per machine";
    if (lost.signal != 0)
        return "restart; the rank's log file has its last lines";
    return "restart; a process that is stopped or swaps heavily answers nobody";
}

}  // namespace

RankTeam::RankTeam(EventLoop& loop,
                   const JobPlace& place,
                   Board& board,
                   const SupervisorOptions& options,
                   const TeamBudgets& budgets,
                   Handlers handlers)
    : loop_(loop),
      board_(board),
      budgets_(budgets),
      handlers_(std::move(handlers)),
      supervisor_(loop,
                  place,
                  options,
                  {[this](const protocol::RankState& state) { board_.rank(state); },
                   [this](const protocol::RankLost& one) { lost(one); },
                   [this](const protocol::RankPhase& one) { phase(one); },
                   [this](int rank, const std::string& method, const Json& params) {
                       message(rank, method, params);
                   },
                   [this](const protocol::LogLine& line) { log(line); },
                   [this](int rank, std::int64_t samples) { board_.dropped(rank, samples); },
                   [this](const std::string& reason) { ended(reason); }}) {}

RankTeam::~RankTeam() {
    loop_.cancel(budget_);
}

void RankTeam::launch(const TeamRequest& request, Completion<Done> answer) {
    waiting_ = std::move(answer);
    stage_ = stage::kLaunch;
    failed_ = false;
    serving_ = false;
    board_.forgetRanks();
    supervisor_.setStage(stage_);
    if (const Status started = supervisor_.start(request); !started) {
        const bool noMpi = started.error().code == ErrorCode::NotFound;
        report(noMpi ? "mpi-missing" : "launch-failed", started.error().message, "", -1);
        return fail(started.error().message, false);
    }
    loop_.cancel(budget_);
    budget_ = loop_.after(budgets_.launchSeconds, [this] {
        const std::string why =
            fmt::format("the ranks were not ready after {}: {}",
                        formatDuration(budgets_.launchSeconds), supervisor_.missing("ready"));
        report("launch-timeout", why, "see the log of the ranks named", -1);
        fail(why, false);
        supervisor_.stop();
    });
}

void RankTeam::load(Completion<Done> answer) {
    waiting_ = std::move(answer);
    if (!ready())
        return waiting_.set(Error{ErrorCode::InvalidArgument, "the ranks are not ready to load"});
    stage_ = stage::kLoad;
    supervisor_.setStage(stage_);
    progressAt_ = steadyTime();
    loop_.cancel(budget_);
    budget_ = loop_.every(1, [this] { watchLoad(); });
    loadBegun_ = false;
    beginLoad();
}

// A rank may still be on its way back from a load that was cancelled.
void RankTeam::beginLoad() {
    const auto& ranks = supervisor_.ranks();
    const bool waiting = std::all_of(ranks.begin(), ranks.end(),
                                     [](const auto& state) { return state.phase == "ready"; });
    if (loadBegun_ || !waiting)
        return;
    loadBegun_ = true;
    supervisor_.broadcast(link::kLoadStart, Json::object());
}

void RankTeam::cancelLoad() {
    if (stage_ != stage::kLoad)
        return;
    loop_.cancel(std::exchange(budget_, 0));
    stage_.clear();
    if (loadBegun_)
        supervisor_.broadcast(link::kLoadCancel, Json::object());
    waiting_.set(Error{ErrorCode::Cancelled, "cancelled"});
}

void RankTeam::watchLoad() {
    if (steadyTime() - progressAt_ < budgets_.loadSeconds)
        return;
    const std::string why =
        fmt::format("no progress for {}: {}", formatDuration(budgets_.loadSeconds),
                    supervisor_.missing("loaded"));
    report("load-stalled", why, "see the log of the ranks named; the storage may hang", -1);
    fail(why, false);
    supervisor_.stop();
}

void RankTeam::stop(const std::string& why) {
    if (!running())
        return;
    supervisor_.broadcast(link::kLoadCancel, Json::object());
    supervisor_.stop();
    fail(why, true);
}

void RankTeam::toRank0(std::string_view method, const Json& params) {
    supervisor_.send(0, method, params);
}

void RankTeam::report(const std::string& code,
                      const std::string& message,
                      const std::string& remedy,
                      int rank) {
    Finding finding;
    finding.code = code;
    finding.stage = stage_.empty() ? std::string(stage::kLoad) : stage_;
    finding.message = message;
    finding.remedy = remedy;
    finding.rank = rank;
    board_.finding(finding);
}

void RankTeam::fail(const std::string& why, bool byUs) {
    if (std::exchange(failed_, true))
        return;
    loop_.cancel(std::exchange(budget_, 0));
    const bool served = std::exchange(serving_, false);
    stage_.clear();
    waiting_.set(Error{byUs ? ErrorCode::Cancelled : ErrorCode::Io, why});
    handlers_.gone(why);
    // A stage under way ends with the answer; one that had passed is not what it was.
    const std::string_view state = byUs ? "idle" : "failed";
    if (served || !board_.running(stage::kLoad))
        board_.markStage(stage::kLoad, served ? state : "idle", why);
    if (!board_.running(stage::kLaunch))
        board_.markStage(stage::kLaunch, byUs ? "idle" : "stale", why);
}

// Ranks of one node find the same about it.
bool RankTeam::isKnown(const Finding& finding) const {
    const auto& all = board_.state().findings;
    return std::any_of(all.begin(), all.end(), [&finding](const Finding& other) {
        return other.code == finding.code && other.message == finding.message &&
               other.stage == finding.stage;
    });
}

void RankTeam::phase(const protocol::RankPhase& phase) {
    progressAt_ = steadyTime();
    for (Finding finding : phase.findings) {
        if (finding.rank < 0)
            finding.rank = phase.rank;
        if (finding.stage.empty())
            finding.stage = stage_;
        if (!isKnown(finding))
            board_.finding(finding);
    }
    if (phase.phase != "failed")
        return reached();
    if (phase.findings.empty())
        report(stage_ + "-failed", fmt::format("rank {} failed", phase.rank), "", phase.rank);
    fail(phase.findings.empty() ? fmt::format("rank {} failed", phase.rank)
                                : phase.findings.front().message,
         false);
    supervisor_.stop();
}

// Looks whether the stage under way is done with the phase that a rank has just reached.
void RankTeam::reached() {
    if (stage_ == stage::kLaunch && supervisor_.all("ready")) {
        loop_.cancel(std::exchange(budget_, 0));
        stage_.clear();
        waiting_.set(Done{});
    } else if (stage_ == stage::kLoad && !loadBegun_) {
        beginLoad();
    } else if (stage_ == stage::kLoad && supervisor_.all("serving")) {
        loop_.cancel(std::exchange(budget_, 0));
        stage_.clear();
        serving_ = true;
        supervisor_.setStage(std::string(stage::kProbe));
        waiting_.set(Done{});
    }
}

void RankTeam::lost(const protocol::RankLost& lost) {
    const std::string what = lost.cause.starts_with("silent") ? "has been" : "died:";
    const std::string where =
        supervisor_.spansNodes() && !lost.host.empty() ? " on " + lost.host : "";
    const std::string why = fmt::format("rank {}{} {} {}", lost.rank, where, what, lost.cause);
    if (!failed_) {
        board_.lost(lost);
        if (lost.memoryLimit > 0)
            reportMemory(lost, why);
        else
            report("rank-lost", why, remedyFor(lost), lost.rank);
    }
    fail(why, false);
}

// What it wanted is what the plan gave it; what it had, its last sample says.
void RankTeam::reportMemory(const protocol::RankLost& lost, const std::string& why) {
    std::int64_t planned = 0;
    for (const protocol::RankInfo& rank : board_.state().plan.ranks)
        planned = rank.rank == lost.rank ? rank.ledger.total : planned;
    std::int64_t resident = 0;
    for (const protocol::MemorySample& sample : board_.state().memory)
        resident = sample.rank == lost.rank ? sample.resident : resident;
    Finding finding;
    finding.code = "rank-out-of-memory";
    finding.stage = stage_.empty() ? std::string(stage::kProbe) : stage_;
    finding.rank = lost.rank;
    finding.message = why;
    finding.expected =
        fmt::format("at most {}, the limit of {}", formatBytes(lost.memoryLimit), lost.limitOf);
    finding.found =
        fmt::format("{} planned{}", formatBytes(planned),
                    resident > 0 ? ", " + formatBytes(resident) + " resident last seen" : "");
    finding.remedy =
        "plan with less on this machine: fewer ranks there, more ranks in all, a "
        "shorter context or fewer sequences; or raise the limit";
    board_.finding(finding);
}

void RankTeam::ended(const std::string& reason) {
    if (!reason.empty() && !failed_) {
        report("launch-failed", reason, "see the log", -1);
        fail(reason, false);
    }
    fail("the ranks have ended", false);
    handlers_.idle();
}

void RankTeam::message(int rank, const std::string& method, const Json& params) {
    if (method == link::kTokens)
        with<protocol::RankTokens>(params, handlers_.tokens);
    else if (method == link::kStep)
        with<protocol::StepSample>(params, [this](const auto& sample) { board_.step(sample); });
    else if (method == link::kMemory)
        with<protocol::MemorySample>(params, [this](const auto& sample) { board_.memory(sample); });
    else if (method == link::kLoad)
        loadProgress(params);
    else if (method == link::kTopology)
        with<protocol::Topology>(params, [this](const auto& found) { board_.topology(found); });
    else if (method == link::kCaptured)
        with<protocol::RankCaptured>(params, handlers_.captured);
    else if (method == link::kCapturing)
        with<protocol::CaptureBytes>(
            params, [&](const auto& piece) { handlers_.captureBytes(rank, piece); });
    else
        log({unixTime(), rank, "warning", "link", "unknown message " + method});
}

void RankTeam::loadProgress(const Json& params) {
    with<protocol::LoadProgress>(params, [this](const auto& progress) { board_.load(progress); });
    const double now = steadyTime();
    progressAt_ = now;
    if (now - toldAt_ < kTellSeconds || stage_ != stage::kLoad)
        return;
    toldAt_ = now;
    double done = 0;
    double all = 0;
    double rate = 0;
    for (const protocol::LoadProgress& rank : board_.state().load) {
        done += static_cast<double>(rank.bytesDone);
        all += static_cast<double>(rank.bytes);
        rate += rank.bytesPerSecond;
    }
    if (all <= 0)
        return;
    board_.progress(stage::kLoad, done / all,
                    fmt::format("{:.0f} %, {}/s", 100 * done / all,
                                formatBytes(static_cast<std::int64_t>(rate))),
                    rate > 0 ? (all - done) / rate : -1);
}

void RankTeam::log(const protocol::LogLine& line) {
    board_.log(line);
    // base/log gives a file up that it cannot write to; work goes on, but somebody must know.
    const bool lost = line.category == "log" || line.text.starts_with("no log file");
    if (!lost || line.level != "warning")
        return;
    Finding finding;
    finding.code = "log-lost";
    finding.severity = Severity::Warning;
    finding.stage = stage_;
    finding.rank = line.rank;
    finding.message = line.text;
    finding.remedy = "free space on the disk of the log folder";
    board_.finding(finding);
}

}  // namespace fl::service
