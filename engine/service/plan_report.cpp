// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "engine/service/reports.h"

namespace fl::service {

namespace {

constexpr std::size_t kAlternatives = 12;

protocol::MeshInfo meshInfo(const plan::Mesh& mesh) {
    return {mesh.dp, mesh.pp, mesh.ep, mesh.tp};
}

protocol::LedgerInfo ledgerInfo(const plan::Ledger& ledger) {
    using plan::Category;
    protocol::LedgerInfo out;
    out.weights = ledger[Category::Weights];
    out.scales = ledger[Category::Scales];
    out.kv = ledger[Category::Kv];
    out.state = ledger[Category::State];
    out.activations = ledger[Category::Activations];
    out.communication = ledger[Category::Communication];
    out.context = ledger[Category::Context];
    out.staging = ledger[Category::Staging];
    out.replicatedWeights = ledger.replicatedWeights;
    out.total = ledger.total();
    for (const plan::LedgerPart& part : ledger.parts)
        out.parts.push_back({std::string(plan::name(part.category)), part.name, part.bytes});
    return out;
}

protocol::PredictedInfo predictedInfo(const plan::Predicted& predicted) {
    protocol::PredictedInfo out;
    out.step = predicted.stepSeconds;
    out.bound = predicted.bound;
    out.weights = predicted.weightSeconds;
    out.kv = predicted.kvSeconds;
    out.flops = predicted.flopSeconds;
    out.overhead = predicted.overheadSeconds;
    out.communication = predicted.communicationSeconds;
    out.bubble = predicted.bubbleSeconds;
    out.prefill = predicted.prefillSeconds;
    out.tokensPerSecond = predicted.tokensPerSecond;
    return out;
}

// Weights of every layer on each rank. Replicas hold cuts of the same sizes, so that one of them is
// looked at.
class WeightBytes {
public:
    WeightBytes(const Inspection& inspection, const plan::Plan& plan)
        : graph_(inspection.model.graph),
          stored_(inspection.model.stored),
          plan_(plan) {}

    void fill(protocol::RankInfo& rank) {
        const auto [place, isNew] = known_.try_emplace({rank.pp, rank.tp}, rank);
        if (isNew)
            count(place->second);
        rank.layerBytes = place->second.layerBytes;
        rank.embedBytes = place->second.embedBytes;
        rank.headBytes = place->second.headBytes;
    }

private:
    void count(protocol::RankInfo& rank) const {
        rank.layerBytes.assign(static_cast<std::size_t>(rank.endLayer - rank.firstLayer), 0);
        for (const plan::Slice& slice : plan::slicesOf(graph_, stored_, plan_, rank.rank)) {
            const int layer = graph_.weights[static_cast<std::size_t>(slice.weight)].layer;
            // A later stage holds the embedding only where it is the head too.
            if (layer < 0 && rank.firstLayer == 0)
                rank.embedBytes += slice.bytes + slice.scaleBytes;
            else if (layer < rank.firstLayer || layer >= rank.endLayer)
                rank.headBytes += slice.bytes + slice.scaleBytes;
            else
                rank.layerBytes[static_cast<std::size_t>(layer - rank.firstLayer)] +=
                    slice.bytes + slice.scaleBytes;
        }
    }

    const graph::Graph& graph_;
    const std::vector<graph::StoredWeight>& stored_;
    const plan::Plan& plan_;
    std::map<std::pair<int, int>, protocol::RankInfo> known_;  // by stage and place in its group
};

protocol::RankInfo rankInfo(const Placement& placement,
                            const plan::RankPlan& rank,
                            WeightBytes& bytes) {
    const plan::Plan& plan = placement.plan;
    protocol::RankInfo out;
    out.rank = rank.rank;
    if (const auto node = static_cast<std::size_t>(rank.node);
        node < placement.cluster.nodes.size()) {
        const topology::Node& machine = placement.cluster.nodes[node];
        out.node = machine.name;
        if (const auto card = static_cast<std::size_t>(rank.device); card < machine.devices.size())
            out.device = machine.devices[card].name;
    }
    out.stage = rank.where.pp;
    if (const auto stage = static_cast<std::size_t>(out.stage); stage < plan.stages.size()) {
        out.firstLayer = plan.stages[stage].firstLayer;
        out.endLayer = plan.stages[stage].endLayer;
    }
    out.dp = rank.where.dp;
    out.pp = rank.where.pp;
    out.tp = rank.where.tp;
    out.ledger = ledgerInfo(rank.ledger);
    out.capacity = rank.ledger.capacity;
    // A plan that breaks a rule may have no slices to speak of.
    if (!hasErrors(plan.findings))
        bytes.fill(out);
    return out;
}

}  // namespace

protocol::AlternativeInfo alternativeInfo(const plan::Candidate& plan) {
    protocol::AlternativeInfo out;
    out.mesh = meshInfo(plan.mesh);
    out.name = plan::text(plan.mesh);
    out.order = plan::text(plan.order);
    out.ranks = plan.mesh.ranks();
    out.step = plan.predicted.stepSeconds;
    out.bound = plan.predicted.bound;
    out.tokensPerSecond = plan.predicted.tokensPerSecond;
    out.peakBytes = plan.peakBytes;
    out.freeBytes = plan.freeBytes;
    return out;
}

protocol::SearchProgress searchReport(const plan::SearchState& state) {
    protocol::SearchProgress out;
    out.tried = state.tried;
    out.total = state.total;
    out.legal = state.legal;
    out.seconds = state.seconds;
    out.done = state.done;
    out.cancelled = state.cancelled;
    for (const plan::Candidate& plan : state.best)
        out.best.push_back(alternativeInfo(plan));
    return out;
}

Result<protocol::PlanInfo> planReport(const Inspection& inspection,
                                      const Placement& placement,
                                      const CancelToken& cancel) {
    FL_TRY(auto out, proposalReport(inspection, placement, cancel));
    plan::SearchOptions search;
    search.limit = kAlternatives;
    search.cancel = cancel;
    const auto found =
        plan::searchPlans(inspection.model.graph, inspection.model.stored, placement.cluster,
                          plan::freed(placement.plan.options), search);
    for (const plan::Candidate& other : found.best)
        out.alternatives.push_back(alternativeInfo(other));
    FL_DO(cancel.check("plan"));
    return out;
}

Result<protocol::PlanInfo> proposalReport(const Inspection& inspection,
                                          const Placement& placement,
                                          const CancelToken& cancel) {
    const plan::Plan& plan = placement.plan;
    protocol::PlanInfo out;
    out.mesh = meshInfo(plan.mesh);
    out.name = plan::text(plan.mesh);
    WeightBytes bytes(inspection, plan);
    for (const plan::RankPlan& rank : plan.ranks) {
        FL_DO(cancel.check("plan"));
        out.ranks.push_back(rankInfo(placement, rank, bytes));
    }
    out.order = plan::text(plan.options.order);
    for (const plan::Stage& stage : plan.stages)
        out.stageLayers.push_back(stage.endLayer - stage.firstLayer);
    for (const plan::HostLedger& host : plan.hosts)
        out.hosts.push_back({placement.cluster.nodes[static_cast<std::size_t>(host.node)].name,
                             host.ranks, host.bytes, host.capacity});
    out.fit = {plan.fit.context, plan.fit.sequences, plan.fit.rank};
    out.predicted = predictedInfo(plan.predicted);
    for (const plan::Candidate& other : plan.nearest)
        out.nearest.push_back(alternativeInfo(other));
    const plan::LegalValues legal =
        plan::possibleValues(inspection.model.graph, inspection.model.stored, placement.cluster);
    out.legalTp = legal.tp;
    out.legalPp = legal.pp;
    out.legalEp = legal.ep;
    out.legalDp = legal.dp;
    out.maxContext = plan.options.maxContext;
    out.maxSequences = plan.options.maxSequences;
    out.compute = computeName(plan.options.compute);
    out.kv = plan.options.kv == DType::BF16 ? "bf16" : "f32";
    out.layers = inspection.model.graph.layerCount;
    out.violations = plan.findings;
    out.verdict = verdictOf(plan.findings);
    FL_DO(cancel.check("plan"));
    return out;
}

std::string sliceText(const plan::Plan& plan, int rank) {
    const plan::Coordinates where = plan::coordinates(plan.mesh, rank);
    const auto stage = static_cast<std::size_t>(where.pp);
    std::string out;
    if (stage < plan.stages.size())
        out = fmt::format("layers {}–{}", plan.stages[stage].firstLayer,
                          plan.stages[stage].endLayer - 1);
    out += fmt::format(", tp {} of {}", where.tp, plan.mesh.tp);
    if (plan.mesh.dp > 1)
        out += fmt::format(", replica {}", where.dp);
    return out;
}

}  // namespace fl::service
