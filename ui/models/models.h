// SPDX-License-Identifier: GPL-3.0-or-later
// All models of one session, fed by the messages of the engine: the shell connects each event of
// the client to the slot of the same name and hands the snapshot over, and every panel is current.
#pragma once

#include <QObject>

#include "engine/protocol/messages.h"
#include "ui/models/census_model.h"
#include "ui/models/chat_model.h"
#include "ui/models/finding_model.h"
#include "ui/models/latency_model.h"
#include "ui/models/log_model.h"
#include "ui/models/memory_model.h"
#include "ui/models/plan_model.h"
#include "ui/models/rank_model.h"
#include "ui/models/saved_plan_model.h"
#include "ui/models/selection.h"
#include "ui/models/shard_model.h"
#include "ui/models/stage_model.h"
#include "ui/models/tensor_loader.h"
#include "ui/models/tensor_tree_model.h"
#include "ui/models/topology_model.h"
#include "ui/models/validate_model.h"

namespace fl::models {

struct Models : public QObject {
    Q_OBJECT

public:
    explicit Models(QObject* parent = nullptr);

    StageModel stages;
    CensusModel census;
    ShardModel shards;
    TensorLoader tensorLoader;  // makes the table that `tensors` shows
    TensorTreeModel tensors;
    TopologyModel topology;
    PlanModel plan;
    SavedPlanModel savedPlans;
    RankModel ranks;
    MemoryModel memory;
    LatencyModel latency;
    FindingModel findings;
    LogModel log;
    ChatModel chat;
    ValidateModel validation;
    Selection selection;
    protocol::JobSettings settings;  // of the job that is open

public slots:
    // Everything at once, on attaching: what was shown before is forgotten.
    void applySnapshot(const fl::protocol::Snapshot& snapshot);
    void reset();

    void applyJob(const fl::protocol::JobChanged& job);
    void applySettings(const fl::protocol::JobSettings& value);
    void applyStage(const fl::protocol::StageState& state);
    void applyCensus(const fl::protocol::Census& census);
    void applyTopology(const fl::protocol::Topology& topology);
    void applyPlan(const fl::protocol::PlanInfo& plan);
    void applyRank(const fl::protocol::RankState& state);
    void applyLost(const fl::protocol::RankLost& lost);
    void applyLoad(const fl::protocol::LoadProgress& progress);
    void applyMemory(const fl::protocol::MemorySample& sample);
    void applyStep(const fl::protocol::StepSample& sample);
    void applyFinding(const fl::Finding& finding);
    void applyLog(const fl::protocol::LogLine& line);
    // A question that any client asked; the own one is shown already.
    void applyChatRequest(const fl::protocol::ChatRequest& request);
    // The reply to the own question.
    void applyChatStarted(const fl::protocol::ChatStarted& started);
    void applyChatDelta(const fl::protocol::ChatDelta& delta);
    void applyChatDone(const fl::protocol::ChatDone& done);

signals:
    // A census came whose tensors are not known yet: someone has to ask for them and give the pages
    // of list `number` to the loader.
    void tensorsWanted(int number);
    void snapshotApplied();

private:
    void beginStage(const protocol::StageState& state);
};

}  // namespace fl::models
