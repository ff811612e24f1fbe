// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/models.h"

#include <QDateTime>

#include "ui/models/text.h"

namespace fl::models {

namespace {

double now() {
    return double(QDateTime::currentMSecsSinceEpoch()) / 1000.0;
}

}  // namespace

Models::Models(QObject* parent) : QObject(parent) {
    connect(&tensorLoader, &TensorLoader::ready, &tensors, &TensorTreeModel::setTable);
}

void Models::reset() {
    stages.reset();
    census.reset();
    shards.reset();
    tensorLoader.cancel();
    tensors.reset();
    topology.reset();
    plan.reset();
    ranks.reset();
    memory.reset();
    latency.reset();
    findings.reset();
    log.reset();
    chat.reset();
    validation.reset();
    selection.clear();
    settings = {};
}

void Models::applySnapshot(const protocol::Snapshot& snapshot) {
    reset();
    settings = snapshot.settings;
    for (const protocol::StageState& state : snapshot.stages)
        stages.apply(state);
    stages.setOpenedAt(snapshot.openedAt);
    if (snapshot.hasCensus)
        applyCensus(snapshot.census);
    if (snapshot.hasTopology)
        topology.apply(snapshot.topology);
    if (snapshot.hasPlan)
        applyPlan(snapshot.plan);
    for (const protocol::RankState& state : snapshot.ranks)
        ranks.apply(state);
    for (const protocol::LoadProgress& progress : snapshot.load)
        applyLoad(progress);
    for (const protocol::MemorySample& sample : snapshot.memory)
        memory.applySample(sample);
    for (const protocol::StepSample& sample : snapshot.steps)
        latency.applyStep(sample);
    findings.setAll(snapshot.findings);
    log.appendAll(snapshot.log);
    chat.restore(snapshot.chats, snapshot.answers);
    if (snapshot.hasLost)
        ranks.applyLost(snapshot.lost);
    emit snapshotApplied();
}

void Models::applyJob(const protocol::JobChanged& job) {
    reset();
    settings = job.settings;
    stages.setOpenedAt(job.openedAt);
    emit snapshotApplied();
}

void Models::applySettings(const protocol::JobSettings& value) {
    settings = value;
}

// What a stage found the last time does not hold any more once it runs again.
void Models::beginStage(const protocol::StageState& state) {
    findings.forgetStage(qt(state.stage));
    if (state.stage == "launch") {
        ranks.reset();
        memory.forgetSamples();
        shards.forgetLoad();
    }
    if (state.stage == "load")
        shards.forgetLoad();
    latency.mark(state.startedAt > 0 ? state.startedAt : now(), StageModel::title(qt(state.stage)));
}

void Models::applyStage(const protocol::StageState& state) {
    const bool begins =
        state.state == "running" && stages.stateOf(qt(state.stage)) != QLatin1String("running");
    if (begins)
        beginStage(state);
    if (stages.openedAt() <= 0 && state.startedAt > 0)
        stages.setOpenedAt(state.startedAt);
    stages.apply(state);
}

void Models::applyCensus(const protocol::Census& value) {
    tensors.reset();
    census.apply(value);
    shards.apply(value);
    emit tensorsWanted(tensorLoader.begin());
}

void Models::applyTopology(const protocol::Topology& value) {
    topology.apply(value);
}

void Models::applyPlan(const protocol::PlanInfo& value) {
    plan.apply(value);
    memory.applyPlan(value);
}

void Models::applyRank(const protocol::RankState& state) {
    ranks.apply(state);
}

void Models::applyLost(const protocol::RankLost& lost) {
    ranks.applyLost(lost);
}

void Models::applyLoad(const protocol::LoadProgress& progress) {
    ranks.applyLoad(progress);
    shards.applyLoad(progress);
}

void Models::applyMemory(const protocol::MemorySample& sample) {
    memory.applySample(sample);
}

void Models::applyStep(const protocol::StepSample& sample) {
    latency.applyStep(sample);
}

void Models::applyFinding(const fl::Finding& finding) {
    findings.add(finding);
}

void Models::applyLog(const protocol::LogLine& line) {
    log.append(line);
}

void Models::applyChatRequest(const protocol::ChatRequest& request) {
    if (!chat.knows(qt(request.request)))
        chat.ask(request);
}

void Models::applyChatStarted(const protocol::ChatStarted& started) {
    chat.applyStarted(started);
}

void Models::applyChatDelta(const protocol::ChatDelta& delta) {
    chat.applyDelta(delta);
}

void Models::applyChatDone(const protocol::ChatDone& done) {
    chat.applyDone(done);
    latency.applyDone(done, now());
}

}  // namespace fl::models
