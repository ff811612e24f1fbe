// SPDX-License-Identifier: Apache-2.0
// Every method and event by name, with what goes in and what comes out (structs of messages.h).
#pragma once

#include <string_view>

namespace fl::protocol {

// Requests of clients.
namespace method {
constexpr std::string_view kHello = "hello";                 // Hello → Snapshot; first
constexpr std::string_view kSnapshot = "session.snapshot";   // → Snapshot
constexpr std::string_view kShutdown = "session.shutdown";   // stops ranks and engine
constexpr std::string_view kJobOpen = "job.open";            // OpenRequest →
constexpr std::string_view kJobStop = "job.stop";            // stops the ranks
constexpr std::string_view kStageRun = "stage.run";          // StageRequest →
constexpr std::string_view kStageCancel = "stage.cancel";    // StageRequest →
constexpr std::string_view kInspect = "checkpoint.inspect";  // InspectRequest → Census
constexpr std::string_view kTensors = "checkpoint.tensors";  // TensorsRequest → TensorsReply
constexpr std::string_view kHistogram =
    "checkpoint.histogram";  // HistogramRequest → HistogramReply
constexpr std::string_view kHistogramCancel = "checkpoint.histogram.cancel";  // →
constexpr std::string_view kColumns = "checkpoint.columns";  // ColumnsRequest → TensorColumns
constexpr std::string_view kRecipeDraft = "recipe.draft";    // DraftRequest → RecipeDraft
constexpr std::string_view kPlanMake = "plan.make";          // PlanRequest → PlanInfo
constexpr std::string_view kPlanSlices = "plan.slices";      // SlicesRequest → SlicesReply
constexpr std::string_view kPlanPropose = "plan.propose";    // PlanRequest → PlanInfo
constexpr std::string_view kPlanCommit = "plan.commit";      // PlanRequest → PlanInfo
constexpr std::string_view kPlanSearch = "plan.search";      // SearchRequest → SearchProgress
constexpr std::string_view kPlanSearchCancel = "plan.search.cancel";  // SearchCancel →
constexpr std::string_view kPlanCells = "plan.cells";                 // CellsRequest → PlanCells
constexpr std::string_view kPlanCell = "plan.cell";                   // CellRequest → SlicesReply
constexpr std::string_view kPlanSaved = "plan.saved";                 // → SavedPlans
constexpr std::string_view kPlanSave = "plan.save";        // SavePlanRequest → SavedPlan
constexpr std::string_view kPlanForget = "plan.forget";    // ForgetPlanRequest →
constexpr std::string_view kChatSend = "chat.send";        // ChatRequest → ChatStarted
constexpr std::string_view kChatRender = "chat.render";    // ChatRequest → ChatStarted
constexpr std::string_view kChatCancel = "chat.cancel";    // ChatCancel →
constexpr std::string_view kValidateRun = "validate.run";  // ValidateRequest → ValidateReply
}  // namespace method

// Facts, sent to every client in batches: the notification `events` {list: [{event, data}, …]}.
namespace event {
constexpr std::string_view kEvents = "events";
constexpr std::string_view kJobChanged = "job.changed";            // JobChanged
constexpr std::string_view kSettingsChanged = "settings.changed";  // JobSettings, by plan.commit
constexpr std::string_view kStageChanged = "stage.changed";        // StageState
constexpr std::string_view kCensusChanged = "census.changed";      // Census
constexpr std::string_view kTopologyChanged = "topology.changed";  // Topology
constexpr std::string_view kPlanChanged = "plan.changed";          // PlanInfo
constexpr std::string_view kPlanSearching = "plan.searching";      // SearchProgress
constexpr std::string_view kRankChanged = "rank.changed";          // RankState
constexpr std::string_view kRankLost = "rank.lost";                // RankLost
constexpr std::string_view kFindingAdded = "finding.added";        // Finding
constexpr std::string_view kChatChanged = "chat.changed";          // ChatInfo
constexpr std::string_view kChatStarted = "chat.started";          // ChatRequest
constexpr std::string_view kChatDelta = "chat.delta";              // ChatDelta
constexpr std::string_view kChatDone = "chat.done";                // ChatDone
constexpr std::string_view kLogLine = "log.line";                  // LogLine
// A slow client loses these first (and debug and info lines of the log).
constexpr std::string_view kLoadProgress = "load.progress";      // LoadProgress
constexpr std::string_view kMemorySample = "memory.sample";      // MemorySample
constexpr std::string_view kStepSample = "step.sample";          // StepSample
constexpr std::string_view kSamplesDropped = "samples.dropped";  // SamplesDropped
}  // namespace event

// Between ranks and control process (link_messages.h), notifications in both directions.
namespace link {
constexpr std::string_view kChallenge = "link.challenge";  // LinkChallenge; first
constexpr std::string_view kHello = "rank.hello";          // RankHello; the answer
constexpr std::string_view kWelcome = "link.welcome";      // LinkWelcome; the answer to it
constexpr std::string_view kExit = "rank.exit";            // RankExit
constexpr std::string_view kPhase = "rank.phase";          // RankPhase
constexpr std::string_view kHeartbeat = "rank.heartbeat";  // RankHeartbeat
constexpr std::string_view kTopology = "rank.topology";    // Topology
constexpr std::string_view kLoad = "rank.load";            // LoadProgress
constexpr std::string_view kMemory = "rank.memory";        // MemorySample
constexpr std::string_view kStep = "rank.step";            // StepSample
constexpr std::string_view kLog = "rank.log";              // LogLine
constexpr std::string_view kTokens = "rank.tokens";        // RankTokens
constexpr std::string_view kCaptured = "rank.captured";    // RankCaptured
constexpr std::string_view kCapturing = "rank.capturing";  // CaptureBytes
constexpr std::string_view kLoadStart = "load.start";
constexpr std::string_view kLoadCancel = "load.cancel";
constexpr std::string_view kShutdown = "shutdown";
constexpr std::string_view kSubmit = "request.submit";  // SubmitRequest
constexpr std::string_view kCancel = "request.cancel";  // ChatCancel
constexpr std::string_view kCapture = "capture.run";    // CaptureRequest
}  // namespace link

}  // namespace fl::protocol
