// SPDX-License-Identifier: Apache-2.0
#include "engine/service/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/core.h>
#include <poll.h>

#include "engine/base/log.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/names.h"
#include "engine/service/clock.h"
#include "engine/service/host_name.h"
#include "engine/service/reports.h"
#include "engine/topology/cluster_file.h"

namespace fl::service {

namespace {

// The pipeline and its waits, one validation, and two for short work.
constexpr int kWorkers = 4;
// An engine started by a client gets this long to be greeted.
constexpr double kLonelySeconds = 30;

// The first error, for the line beside the stage.
std::string firstError(const std::vector<Finding>& findings) {
    const auto errors = std::count_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.severity == Severity::Error;
    });
    const auto first = std::find_if(findings.begin(), findings.end(), [](const Finding& one) {
        return one.severity == Severity::Error;
    });
    if (first == findings.end())
        return "";
    return errors == 1 ? first->message
                       : fmt::format("{} (and {} more)", first->message, errors - 1);
}

std::string fitOf(const plan::Plan& plan) {
    const plan::RankPlan* largest = nullptr;
    for (const plan::RankPlan& rank : plan.ranks) {
        if (largest == nullptr || rank.ledger.total() > largest->ledger.total())
            largest = &rank;
    }
    return largest == nullptr ? ""
                              : fmt::format("Fits: {} of {}", formatBytes(largest->ledger.total()),
                                            formatBytes(largest->ledger.capacity));
}

// The file of the recipe in use; empty if none is.
std::string recipeFile(const protocol::JobSettings& settings, const Inspection& inspection) {
    if (settings.recipe.ends_with(".lua"))
        return settings.recipe;
    return inspection.model.recipe.empty()
               ? ""
               : fmt::format("{}/models/{}.lua", resourcesDir(), inspection.model.recipe);
}

}  // namespace

Session::Session(EventLoop& loop, const JobPlace& place, SessionOptions options)
    : loop_(loop),
      place_(place),
      options_(std::move(options)),
      board_([this](std::string_view event, const Json& data, Weight weight) {
          if (server_)
              server_->publish(event, data, weight);
      }),
      team_(loop,
            place,
            board_,
            options_.ranks,
            options_.budgets,
            {[this](const protocol::RankTokens& tokens) {
                 if (validation_.knows(tokens.request))
                     validation_.take(tokens);
                 else
                     chats_.take(tokens);
             },
             [this](const protocol::RankCaptured& captured) { validation_.take(captured); },
             [this](int rank, const auto& piece) { validation_.take(rank, piece); },
             [this](const std::string& why) {
                 chats_.failAll(why);
                 validation_.failAll(why);
                 if (board_.running(stage::kProbe))
                     board_.endStage(stage::kProbe, "failed", why);
                 else if (board_.stage(stage::kProbe).state == "passed")
                     board_.markStage(stage::kProbe, "stale", why);
             },
             [this] { settle(); }}),
      chats_(
          board_,
          {[this](std::string_view method, const Json& params) { team_.toRank0(method, params); },
           [this](const protocol::ChatDone& done) {
               if (board_.running(stage::kProbe))
                   board_.endStage(
                       stage::kProbe, "passed",
                       fmt::format("TTFT {}, {} tok/s", formatDuration(done.timing.ttft),
                                   formatCount(std::llround(done.timing.tokensPerSecond))));
           }}),
      validation_(
          loop,
          [this](std::string_view method, const Json& params) { team_.toRank0(method, params); }),
      desk_(options_.plugins, options_.pluginFolders),
      workers_(std::make_unique<ThreadPool>(kWorkers)) {
    log::setSink([this](const log::Line& line) {
        loop_.post([this, line] {
            board_.log({line.unixSeconds, -1, std::string(log::name(line.level)), line.category,
                        line.text});
        });
    });
}

Session::~Session() {
    log::setSink(nullptr);
    leaving_.cancel();
    if (active_)
        active_->cancel.cancel();
    validationCancel_.cancel();
    for (auto& [client, search] : searches_)
        search.cancel.cancel();
    for (auto& [client, count] : counts_)
        count.cancel();
    workers_.reset();
    watchRecipe("");  // the loop may live on
}

Status Session::listen() {
    FL_TRY(server_,
           SocketServer::listen(loop_, place_.socket(),
                                {[this](ClientId client, const protocol::RpcMessage& message) {
                                     request(client, message);
                                 },
                                 [this](ClientId client) { clientLeft(client); }},
                                options_.limits));
    if (options_.leaveWithLastClient)
        loop_.after(kLonelySeconds, [this] {
            if (greeted_.empty())
                shutdown();
        });
    return Done{};
}

Status Session::bringUp(Run& run) {
    FL_DO(stage(run, stage::kInspectIndex, [&] { return inspect(run); }));
    FL_DO(stage(run, stage::kPlanIndex, [&] { return plan(run); }));
    FL_DO(stage(run, stage::kLaunchIndex, [&] { return launch(run); }));
    return stage(run, stage::kLoadIndex, [&] { return load(run); });
}

// Times one stage and says on the board how it went; does nothing if the run leaves it out.
template <class Work>
Status Session::stage(Run& run, int index, const Work& work) {
    if (!run.has(index))
        return Done{};
    const std::string_view name = stage::kPipeline[static_cast<std::size_t>(index)];
    loop_.post([this, name] { board_.beginStage(name); });
    Result<Outcome> outcome = work();
    // The work was faster than the cancel; ranks that came up in spite of it are there.
    const CancelToken cancel = run.cancel.token();
    if (outcome && cancel.cancelled() && index < stage::kLaunchIndex)
        outcome = Error{ErrorCode::Cancelled, "cancelled"};
    if (outcome) {
        loop_.post([this, name, done = *outcome] {
            board_.endStage(name, done.warned ? "warnings" : "passed", done.summary);
        });
        return cancel.check(std::string(name));
    }
    const Error error = outcome.error();
    const bool cancelled = error.code == ErrorCode::Cancelled;
    loop_.post([this, name, error, cancelled, reported = run.reported] {
        if (!cancelled && !reported)
            board_.finding(fromError(error, std::string(name) + "-failed", std::string(name)));
        board_.endStage(name, cancelled ? "cancelled" : "failed", error.message);
    });
    return error;
}

Result<Session::Outcome> Session::inspect(Run& run) {
    const CancelToken cancel = run.cancel.token();
    FL_TRY(auto found, inspectCheckpoint(run.settings, cancel));
    const auto inspection = std::make_shared<const Inspection>(std::move(found));
    const auto language = std::make_shared<const Language>(
        Language::load(*inspection->checkpoint, inspection->model.chat, cancel));
    FL_DO(cancel.check("inspect"));
    std::vector<Finding> findings = inspection->findings;
    findings.insert(findings.end(), language->findings().begin(), language->findings().end());
    // Where inspection has said already why, or there is no model either, that is enough.
    const bool said = inspection->checkpoint->shards.empty() ||
                      std::any_of(findings.begin(), findings.end(), [](const Finding& one) {
                          return one.code == "tokenizer-missing";
                      });
    if (language->tokenizer() == nullptr && !said) {
        Finding finding;
        finding.code = "tokenizer-unusable";
        finding.severity = Severity::Warning;
        finding.stage = stage::kInspect;
        finding.message = "no text goes in or out, only ids: " + language->problem();
        findings.push_back(std::move(finding));
    }
    const protocol::Census census = censusReport(*inspection);
    run.inspection = inspection;
    run.language = language;
    loop_.post([this, inspection, language, census, findings,
                file = recipeFile(run.settings, *inspection)] {
        watchRecipe(file);
        inspection_ = inspection;
        language_ = language;
        board_.census(census);
        board_.chatInfo(language->info());
        for (const Finding& finding : findings)
            board_.finding(finding);
    });
    if (hasErrors(findings)) {
        run.reported = true;
        return Error{ErrorCode::InvalidArgument, firstError(findings)};
    }
    return Outcome{!findings.empty() && verdictOf(findings) != "ok",
                   fmt::format("{} tensors in {} {}", formatCount(census.tensors),
                               formatCount(census.files), census.files == 1 ? "shard" : "shards")};
}

Result<Session::Outcome> Session::plan(Run& run) {
    device::PluginRegistry registry(options_.plugins, options_.pluginFolders);
    const CancelToken cancel = run.cancel.token();
    FL_TRY(auto placed, placeModel(*run.inspection, run.settings, registry, cancel));
    const auto placement = std::make_shared<const Placement>(std::move(placed));
    FL_TRY(const protocol::PlanInfo info, planReport(*run.inspection, *placement, cancel));
    const protocol::Topology topology = topologyReport(*run.inspection, *placement);
    run.placement = placement;
    loop_.post([this, placement, info, topology, settings = run.settings] {
        placement_ = placement;
        chosen_ = chosenSettings(settings, placement->plan);
        board_.topology(topology);
        board_.plan(info);
        for (const Finding& finding : info.violations)
            board_.finding(finding);
    });
    if (hasErrors(info.violations)) {
        run.reported = true;
        return Error{ErrorCode::InvalidArgument, firstError(info.violations)};
    }
    return Outcome{info.verdict != "ok", fitOf(placement->plan)};
}

Result<Session::Outcome> Session::launch(Run& run) {
    if (const auto missing = missingKernels(*run.inspection)) {
        run.reported = true;
        loop_.post([this, finding = *missing] { board_.finding(finding); });
        return Error{ErrorCode::Unsupported, missing->message};
    }
    const Completion<Done> answer;
    const double begin = steadyTime();
    const TeamRequest request = teamRequest(run);
    loop_.post([this, request, answer] { team_.launch(request, answer); });
    const Status done = answer.wait(run.cancel.token());
    run.reported = true;  // by the team
    FL_DO(done);
    return Outcome{false,
                   fmt::format("{} {} in {}", request.ranks, request.ranks == 1 ? "rank" : "ranks",
                               formatDuration(steadyTime() - begin))};
}

Result<Session::Outcome> Session::load(Run& run) {
    const Completion<Done> answer;
    const double begin = steadyTime();
    loop_.post([this, answer] { team_.load(answer); });
    const Status done = answer.wait(run.cancel.token());
    run.reported = true;
    FL_DO(done);
    std::int64_t bytes = 0;
    for (const plan::RankPlan& rank : run.placement->plan.ranks)
        bytes += rank.ledger[plan::Category::Weights] + rank.ledger[plan::Category::Scales];
    return Outcome{
        false, fmt::format("{} in {}", formatBytes(bytes), formatDuration(steadyTime() - begin))};
}

TeamRequest Session::teamRequest(const Run& run) const {
    TeamRequest out;
    const Placement& placement = *run.placement;
    const topology::Cluster& cluster = placement.cluster;
    out.job.settings = chosenSettings(run.settings, placement.plan);
    out.job.cluster = topology::toJson(cluster);
    out.job.checkpoint = checkpointText(*run.inspection);
    out.job.logFolder = fmt::format("{}/runs/{}", stateDir(), place_.job());
    out.ranks = placement.plan.mesh.ranks();
    out.controlAddress = cluster.controlAddress;
    if (cluster.nodes.size() == 1 && isThisHost(cluster.nodes.front().name))
        return out;
    for (const plan::RankPlan& rank : placement.plan.ranks)
        out.hosts.push_back(cluster.nodes[static_cast<std::size_t>(rank.node)].name);
    return out;
}

// What runs is stopped first; then this run begins.
void Session::begin(std::shared_ptr<Run> run) {
    if (active_)
        active_->cancel.cancel();
    if (run->needsNewTeam())
        stopRanks(run->opens ? "another job was opened" : "another launch was asked for");
    next_ = std::move(run);
    settle();
}

void Session::stopRanks(const std::string& why) {
    validationCancel_.cancel();
    team_.stop(why);
}

// Called whenever something came to its end: starts what waits for that.
void Session::settle() {
    if (active_)
        return;
    if (next_ && !(next_->needsNewTeam() && team_.running()))
        return startRun();
    inspectSaved();
    if (leaving_.token().cancelled() && !team_.running()) {
        if (server_)
            server_->flush();
        loop_.stop();
    }
}

void Session::startRun() {
    active_ = std::exchange(next_, nullptr);
    if (active_->has(stage::kInspectIndex))
        recipeSaved_ = false;  // this run reads what was saved until now
    if (active_->opens) {
        inspection_.reset();
        language_.reset();
        placement_.reset();
        board_.openJob(active_->settings);
    }
    // What lies behind the stages that run anew does not belong to them any more.
    for (std::size_t i = static_cast<std::size_t>(active_->until) + 1; i < stage::kPipeline.size();
         ++i) {
        const std::string state = board_.stage(stage::kPipeline[i]).state;
        if (state == "passed" || state == "warnings")
            board_.markStage(stage::kPipeline[i], "stale", "an earlier stage ran again");
    }
    workers_->submit([this, run = active_] {
        const Status status = bringUp(*run);
        const bool cancelled = !status && status.error().code == ErrorCode::Cancelled;
        loop_.post([this, cancelled] {
            if (cancelled)
                callOff();
            active_.reset();
            settle();
        });
    });
}

// A recipe that is being written is tried again whenever it is saved. Ranks that run are left
// alone.
void Session::watchRecipe(const std::string& file) {
    if (recipeWatch_)
        loop_.forget(recipeWatch_->fd());
    recipeWatch_.reset();
    if (file.empty())
        return;
    auto watch = FileWatch::open(file);
    if (!watch)
        return;
    recipeWatch_ = std::move(*watch);
    loop_.watch(recipeWatch_->fd(), POLLIN, [this](short /*events*/) {
        recipeSaved_ = recipeWatch_->changed() || recipeSaved_;
        inspectSaved();
    });
}

void Session::inspectSaved() {
    if (!recipeSaved_ || active_ || next_ || leaving_.token().cancelled() || team_.running())
        return;
    auto run = std::make_shared<Run>();
    run->settings = board_.state().settings;
    run->from = stage::kInspectIndex;
    run->until = stage::kInspectIndex;
    begin(std::move(run));
}

// What a run that was cancelled had begun: a launch is taken back, ranks that were loading wait
// for the next order.
void Session::callOff() {
    const bool launched = board_.stage(stage::kLaunch).state == "passed";
    if (launched && !team_.serving())
        team_.cancelLoad();
    else if (!team_.serving())
        stopRanks("cancelled");
}

void Session::shutdown() {
    leaving_.cancel();
    next_.reset();
    if (active_)
        active_->cancel.cancel();
    stopRanks("the engine ends");
    settle();
}

void Session::clientLeft(ClientId client) {
    std::erase(greeted_, client);
    if (const auto found = searches_.find(client); found != searches_.end()) {
        found->second.cancel.cancel();
        searches_.erase(found);
    }
    if (const auto found = counts_.find(client); found != counts_.end()) {
        found->second.cancel();
        counts_.erase(found);
    }
    if (options_.leaveWithLastClient && greeted_.empty())
        shutdown();
}

}  // namespace fl::service
