// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "engine/service/reports.h"

namespace fl::service {

namespace {

constexpr std::size_t kAlternatives = 12;
// More meshes than any cluster of today has.
constexpr std::size_t kSearchLimit = 10'000;

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
    return out;
}

void addWeightBytes(const Inspection& inspection,
                    const plan::Plan& plan,
                    protocol::RankInfo& rank) {
    const graph::Graph& graph = inspection.model.graph;
    rank.layerBytes.assign(static_cast<std::size_t>(rank.endLayer - rank.firstLayer), 0);
    for (const plan::Slice& slice :
         plan::slicesOf(graph, inspection.model.stored, plan, rank.rank)) {
        const int layer = graph.weights[static_cast<std::size_t>(slice.weight)].layer;
        // A later stage holds the embedding only where it is the head too.
        if (layer < 0 && rank.firstLayer == 0)
            rank.embedBytes += slice.bytes;
        else if (layer < rank.firstLayer || layer >= rank.endLayer)
            rank.headBytes += slice.bytes;
        else
            rank.layerBytes[static_cast<std::size_t>(layer - rank.firstLayer)] += slice.bytes;
    }
}

protocol::RankInfo rankInfo(const Inspection& inspection,
                            const Placement& placement,
                            const plan::RankPlan& rank) {
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
        addWeightBytes(inspection, plan, out);
    return out;
}

protocol::AlternativeInfo alternative(const plan::Plan& plan) {
    protocol::AlternativeInfo out;
    out.mesh = meshInfo(plan.mesh);
    out.step = plan.predicted.stepSeconds;
    out.freeBytes = plan.ranks.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
    for (const plan::RankPlan& rank : plan.ranks) {
        out.peakBytes = std::max(out.peakBytes, rank.ledger.total());
        out.freeBytes = std::min(out.freeBytes, rank.ledger.free());
    }
    return out;
}

void addLegalValues(const std::vector<plan::Plan>& searched, protocol::PlanInfo& out) {
    std::set<int> tp, pp, ep, dp;
    for (const plan::Plan& plan : searched) {
        tp.insert(plan.mesh.tp);
        pp.insert(plan.mesh.pp);
        ep.insert(plan.mesh.ep);
        dp.insert(plan.mesh.dp);
    }
    out.legalTp.assign(tp.begin(), tp.end());
    out.legalPp.assign(pp.begin(), pp.end());
    out.legalEp.assign(ep.begin(), ep.end());
    out.legalDp.assign(dp.begin(), dp.end());
}

protocol::SliceInfo sliceInfo(const Inspection& inspection, const plan::Slice& slice) {
    const auto index = static_cast<std::size_t>(slice.weight);
    const graph::Weight& weight = inspection.model.graph.weights[index];
    protocol::SliceInfo out;
    out.tensor = weight.tensor;
    out.layer = weight.layer;
    out.kind = graph::name(weight.kind);
    if (index < inspection.model.stored.size())
        out.dtype = name(inspection.model.stored[index].dtype);
    out.axis = slice.axis;
    out.begin = slice.begin;
    out.end = slice.end;
    out.firstExpert = slice.firstExpert;
    out.expertCount = slice.expertCount;
    out.bytes = slice.bytes;
    const auto& tensors = inspection.model.tensors[index];
    const auto first = static_cast<std::size_t>(slice.firstExpert);
    if (first < tensors.size()) {
        const auto shard = static_cast<std::size_t>(tensors[first].shard);
        out.file = inspection.checkpoint->shards[shard].fileName;
    }
    return out;
}

std::vector<plan::Plan> searchAlternatives(const Inspection& inspection,
                                           const Placement& placement,
                                           const CancelToken& cancel) {
    plan::PlanOptions options = placement.plan.options;
    options.tp.reset();
    options.pp.reset();
    options.ep.reset();
    options.dp.reset();
    options.stageLayers.clear();
    return plan::searchPlans(inspection.model.graph, inspection.model.stored, placement.cluster,
                             options, kSearchLimit, cancel);
}

}  // namespace

Result<protocol::PlanInfo> planReport(const Inspection& inspection,
                                      const Placement& placement,
                                      const CancelToken& cancel) {
    const auto searched = searchAlternatives(inspection, placement, cancel);
    const plan::Plan& plan = placement.plan;
    protocol::PlanInfo out;
    out.mesh = meshInfo(plan.mesh);
    out.name = plan::text(plan.mesh);
    for (const plan::RankPlan& rank : plan.ranks) {
        FL_DO(cancel.check("plan"));
        out.ranks.push_back(rankInfo(inspection, placement, rank));
    }
    out.predicted = {plan.predicted.stepSeconds, plan.predicted.bound};
    for (const plan::Plan& other : searched) {
        if (out.alternatives.size() < kAlternatives)
            out.alternatives.push_back(alternative(other));
    }
    addLegalValues(searched, out);
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

protocol::SlicesReply slicesReport(const Inspection& inspection, const plan::Plan& plan, int rank) {
    protocol::SlicesReply out;
    for (const plan::Slice& slice :
         plan::slicesOf(inspection.model.graph, inspection.model.stored, plan, rank))
        out.slices.push_back(sliceInfo(inspection, slice));
    return out;
}

}  // namespace fl::service
