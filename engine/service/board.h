// SPDX-License-Identifier: Apache-2.0
// What every client must know of the job, kept current. Each change is made here and published in
// the same call, so that a client that comes late and gets the snapshot knows what the others do.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/protocol/codec.h"
#include "engine/protocol/messages.h"
#include "engine/service/job_metrics.h"
#include "engine/service/socket_server.h"

namespace fl::service {

namespace stage {
constexpr std::string_view kInspect = "inspect";
constexpr std::string_view kPlan = "plan";
constexpr std::string_view kLaunch = "launch";
constexpr std::string_view kLoad = "load";
constexpr std::string_view kValidate = "validate";
constexpr std::string_view kBaseline = "baseline";
constexpr std::string_view kProbe = "probe";

// Those that a job is brought up through, and their places.
inline constexpr std::array kPipeline = {kInspect, kPlan, kLaunch, kLoad};
constexpr int kInspectIndex = 0;
constexpr int kPlanIndex = 1;
constexpr int kLaunchIndex = 2;
constexpr int kLoadIndex = 3;
}  // namespace stage

// On the control thread.
class Board {
public:
    using Publish = std::function<void(std::string_view event, const Json& data, Weight weight)>;
    explicit Board(Publish publish);

    // Forgets everything but the log.
    void openJob(const protocol::JobSettings& settings);
    // The job goes on with others.
    void settings(const protocol::JobSettings& settings);

    // Running from now on; its former findings are taken back.
    void beginStage(std::string_view name);
    void progress(std::string_view name,
                  double fraction,
                  const std::string& text,
                  double left = -1);
    // passed, warnings, failed, cancelled; the duration is that since beginStage().
    void endStage(std::string_view name, std::string_view state, const std::string& summary);
    // For what happens to a stage that does not run: stale, failed, idle.
    void markStage(std::string_view name, std::string_view state, const std::string& summary);
    const protocol::StageState& stage(std::string_view name) const;
    bool running(std::string_view name) const { return stage(name).state == "running"; }

    void census(const protocol::Census& census);
    void topology(const protocol::Topology& topology);
    void plan(const protocol::PlanInfo& plan);
    // Of a new team: no ranks, no samples, none lost.
    void forgetRanks();
    void rank(const protocol::RankState& state);
    void lost(const protocol::RankLost& lost);
    void load(const protocol::LoadProgress& progress);
    void memory(const protocol::MemorySample& sample);
    void step(const protocol::StepSample& sample);
    // Samples that a rank had no room for since it started.
    void dropped(int rank, std::int64_t samples);
    void log(const protocol::LogLine& line);
    void finding(const Finding& finding);
    void chatInfo(const protocol::ChatInfo& info);
    void chatStarted(const protocol::ChatRequest& request);
    void chatDelta(const protocol::ChatDelta& delta);
    void chatDone(const protocol::ChatDone& done);

    // As of now: the seconds of a running stage are up to date.
    protocol::Snapshot snapshot() const;
    protocol::MetricsReply metrics() const { return metrics_->values(); }
    const protocol::Snapshot& state() const { return state_; }

private:
    template <class T>
    void tell(std::string_view event, const T& data, Weight weight = Weight::Fact) {
        publish_(event, protocol::encode(data), weight);
    }
    protocol::StageState& find(std::string_view name);
    void tellStage(protocol::StageState& stage);

    Publish publish_;
    protocol::Snapshot state_;
    std::unique_ptr<JobMetrics> metrics_ = std::make_unique<JobMetrics>();
};

}  // namespace fl::service
