// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/weight_cuts.h"

#include <algorithm>

#include "engine/base/checked.h"

namespace fl::plan {

using graph::Split;
using graph::Weight;
using graph::WeightId;

namespace {

const Weight& weightOf(const Facts& facts, WeightId id) {
    return facts.graph->weights[static_cast<std::size_t>(id)];
}

// What the heads of one rank hold must be whole blocks. Where heads themselves cannot be divided,
// the rules of heads say so.
WeightCut headCut(const Facts& facts, const Weight& weight, WeightId id, int tp) {
    const StoredWeight& stored = (*facts.stored)[static_cast<std::size_t>(id)];
    if (tp == 1 || weight.heads % tp != 0)
        return {};
    WeightCut out{tp, 1, true};
    if (weight.split == Split::Row) {
        out.unit = stored.columnUnit();
        out.fits = weight.shape[weight.shape.rank() - 1] / tp % out.unit == 0;
    } else if (weight.split == Split::Head) {
        out.unit = stored.blockRows;
        out.fits = weight.shape[0] / tp % out.unit == 0;
    }
    return out;
}

template <class Wanted>
bool allFit(const Facts& facts, const Mesh& mesh, const Wanted& wanted) {
    const Partition partition(*facts.graph, *facts.stored, mesh);
    for (std::size_t i = 0; i < facts.graph->weights.size(); ++i) {
        const auto id = static_cast<WeightId>(i);
        if (wanted(id) && !weightCut(facts, partition, id).fits)
            return false;
    }
    return true;
}

}  // namespace

CutRule cutRuleOf(const Facts& facts, WeightId id) {
    const Weight& weight = weightOf(facts, id);
    if (weight.split == Split::Vocab)
        return CutRule::Vocabulary;
    if (weight.split == Split::Expert)
        return CutRule::Experts;
    return facts.latent[static_cast<std::size_t>(id)] ? CutRule::Latents : CutRule::Blocks;
}

WeightCut weightCut(const Facts& facts, const Partition& partition, WeightId id) {
    const Weight& weight = weightOf(facts, id);
    const Mesh& mesh = partition.mesh();
    if (weight.heads > 0)
        return headCut(facts, weight, id, mesh.tp);
    const bool expert = weight.split == Split::Expert;
    const Split split = expert ? weight.expertSplit : weight.split;
    if (split != Split::Column && split != Split::Row && split != Split::Vocab)
        return {};
    const std::int64_t size = partSize(weight, split == Split::Row ? weight.shape.rank() - 1 : 0);
    WeightCut out;
    out.parts = expert ? std::max(1, mesh.tp / mesh.ep) : mesh.tp;
    out.unit = partition.block(weight, size);
    out.fits = ceilDivide(size, out.unit) >= out.parts;
    return out;
}

bool weightsFit(const Facts& facts, const Mesh& mesh) {
    return allFit(facts, mesh, [](WeightId) { return true; });
}

bool weightsFit(const Facts& facts, const Mesh& mesh, CutRule rule) {
    return allFit(facts, mesh, [&](WeightId id) { return cutRuleOf(facts, id) == rule; });
}

}  // namespace fl::plan
