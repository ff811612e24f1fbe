// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_engine.h"

#include <span>
#include <utility>

#include "engine/base/checked.h"
#include "engine/scheduler/sampler.h"
#include "engine/service/rung_compare.h"

namespace fl::service {

using runtime::CapturedValue;
using runtime::ReplicaStep;
using runtime::Sampled;
using runtime::Step;

namespace {

// A capture tells by how little each token's experts were chosen: validation wants to know where
// rounding alone decides.
void tapRouters(graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes) {
        if (node.op == "router_topk")
            graph.values[static_cast<std::size_t>(node.inputs.front())].tap =
                routerRung(node.layer);
    }
}

}  // namespace

RankEngine::RankEngine(const RankParts& parts, plan::Coordinates where)
    : parts_(parts),
      where_(where) {}

Result<std::unique_ptr<RankEngine>> RankEngine::load(const RankParts& parts,
                                                     const load::ReadOptions& options) {
    std::unique_ptr<RankEngine> engine(
        new RankEngine(parts, plan::coordinates(parts.plan.mesh, parts.rank)));
    FL_DO(engine->prepare(options));
    return engine;
}

Status RankEngine::prepare(const load::ReadOptions& options) {
    const plan::Plan& plan = parts_.plan;
    const recipe::Model& model = parts_.model;
    const auto slices = plan::slicesOf(model.graph, model.stored, plan, parts_.rank);
    FL_TRY(graph_, plan::rankGraph(model.graph, model.stored, plan, parts_.rank));
    tapRouters(graph_);
    FL_TRY(weights_, load::loadWeights(slices, model.tensors, parts_.checkpoint.shards,
                                       parts_.device, options));
    runtime::ExecutorOptions sizes;
    sizes.maxTokens = plan.options.maxBatchTokens;
    sizes.maxSequences = plan.options.maxSequences;
    sizes.pagesPerSequence = ceilDivide(plan.options.maxContext, plan.options.pageTokens);
    sizes.pages = plan.kvPagesPerReplica;
    sizes.pageTokens = plan.options.pageTokens;
    sizes.kv = plan.options.kv;
    sizes.compute = static_cast<fl_compute>(plan.options.compute);
    FL_TRY(executor_, runtime::Executor::create(graph_, weights_, parts_.device, parts_.stream,
                                                parts_.groups, sizes));
    return Done{};
}

std::vector<std::int64_t> RankEngine::groupRows(const Step& step) const {
    std::vector<std::int64_t> rows;
    const auto group = parts_.groups.find("edp");
    if (group == parts_.groups.end())
        return rows;
    for (const int rank : group->second->identity().ranks) {
        const int replica = plan::coordinates(parts_.plan.mesh, rank).dp;
        rows.push_back(step.replicas[static_cast<std::size_t>(replica)].tokens());
    }
    return rows;
}

const ReplicaStep& RankEngine::own(const Step& step) const {
    return step.replicas[static_cast<std::size_t>(where_.dp)];
}

bool RankEngine::samples() const {
    return where_.pp == parts_.plan.mesh.pp - 1 && where_.tp == 0;
}

Result<std::vector<Sampled>> RankEngine::sampleAll(const ReplicaStep& step) {
    std::vector<Sampled> sampled;
    FL_TRY(const std::vector<float> logits, executor_->logits());
    const auto width = static_cast<std::size_t>(executor_->vocabulary());
    for (std::size_t row = 0; row < step.samples.size(); ++row) {
        sampled.push_back(
            scheduler::sample(std::span(logits).subspan(row * width, width), step.samples[row]));
    }
    return sampled;
}

Result<std::vector<std::vector<Sampled>>> RankEngine::run(const Step& step) {
    const plan::Mesh& mesh = parts_.plan.mesh;
    if (static_cast<int>(step.replicas.size()) != mesh.dp)
        return Error{ErrorCode::Corrupt, "the step has another number of replicas than the plan"};
    FL_DO(executor_->run(own(step), groupRows(step)));
    std::vector<Sampled> mine;
    if (samples()) {
        FL_TRY(mine, sampleAll(own(step)));
    }
    std::vector<std::vector<Sampled>> all;
    if (parts_.rank != 0) {
        if (!mine.empty())
            FL_DO(parts_.world.sendText(runtime::encode(mine), 0));
        return all;
    }
    for (int dp = 0; dp < mesh.dp; ++dp) {
        const int from = plan::rankAt(mesh, {dp, mesh.pp - 1, 0});
        if (from == 0) {
            all.push_back(std::move(mine));
            continue;
        }
        all.emplace_back();
        if (step.replicas[static_cast<std::size_t>(dp)].samples.empty())
            continue;
        FL_TRY(const std::string text, parts_.world.receiveText(from, parts_.world.rules()));
        FL_TRY(all.back(), runtime::decodeSamples(text));
    }
    return all;
}

Result<std::vector<CapturedValue>> RankEngine::capture(const Step& step) {
    FL_TRY(auto captured, executor_->capture(own(step), groupRows(step)));
    if (where_.tp != 0 || own(step).tokens() == 0)
        captured.clear();
    return captured;
}

}  // namespace fl::service
