// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/partition.h"

#include <algorithm>
#include <numeric>

#include "engine/base/checked.h"

namespace fl::plan {

using graph::Graph;
using graph::Node;
using graph::Split;
using graph::Weight;
using graph::WeightId;

Range cut(std::int64_t size, std::int64_t unit, int parts, int index) {
    const std::int64_t units = ceilDivide(size, unit);
    const std::int64_t each = units / parts;
    const std::int64_t more = units % parts;  // so many parts get one unit more
    const auto start = [&](std::int64_t i) {
        return std::min(size, (each * i + std::min<std::int64_t>(i, more)) * unit);
    };
    return {start(index), start(index + 1)};
}

Partition::Partition(const Graph& graph, const std::vector<StoredWeight>& stored, const Mesh& mesh)
    : graph_(graph),
      stored_(stored),
      mesh_(mesh) {
    for (std::size_t id = 0; id < graph.weights.size(); ++id) {
        const Weight& weight = graph.weights[id];
        const Split split = weight.split == Split::Expert ? weight.expertSplit : weight.split;
        if (weight.heads > 0)
            continue;
        if (split == Split::Row)
            require(weight, partSize(weight, weight.shape.rank() - 1), stored[id].columnUnit());
        else if (split == Split::Column && stored[id].blockRows > 1)
            require(weight, partSize(weight, 0), stored[id].blockRows);
    }
}

void Partition::require(const Weight& weight, std::int64_t size, std::int64_t unit) {
    std::int64_t& known = blocks_.try_emplace({weight.layer, weight.kind, size}, 1).first->second;
    known = std::lcm(known, unit);
}

std::int64_t partSize(const Weight& weight, int axis) {
    return weight.segments.empty() ? weight.shape[axis] : weight.segments.front();
}

std::int64_t Partition::block(const Weight& weight, std::int64_t size) const {
    const auto found = blocks_.find({weight.layer, weight.kind, size});
    return found == blocks_.end() ? 1 : found->second;
}

bool Partition::replicated(WeightId id) const {
    const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
    if (mesh_.tp == 1)
        return false;
    if (weight.split == Split::Expert)
        return weight.expertSplit == Split::Replicate && mesh_.ep < mesh_.tp;
    return weight.split == Split::Replicate ||
           (weight.split == Split::Head && weight.heads < mesh_.tp);
}

// Fewer heads than ranks: neighbours share one.
Slice Partition::headSlice(const Weight& weight, int axis, int tp) const {
    Slice slice;
    const std::int64_t perHead = weight.shape[axis] / weight.heads;
    const std::int64_t first = tp * weight.heads / mesh_.tp;
    const std::int64_t count = std::max<std::int64_t>(1, weight.heads / mesh_.tp);
    slice.axis = axis;
    slice.begin = first * perHead;
    slice.end = (first + count) * perHead;
    return slice;
}

// Even where it can be, else in pieces that vector code likes.
Slice Partition::freeSlice(const Weight& weight, int axis, int parts, int index) const {
    const std::int64_t size = partSize(weight, axis);
    std::int64_t unit = block(weight, size);
    if (unit == 1 && size % parts != 0 && size % 32 == 0 && size / 32 >= parts)
        unit = 32;
    const Range range = cut(size, unit, parts, index);
    const std::int64_t segments = weight.shape[axis] / size;
    Slice slice;
    slice.axis = axis;
    slice.begin = range.begin * segments;
    slice.end = range.end * segments;
    return slice;
}

// Slices are whole blocks, so that bytes go with elements.
std::int64_t Partition::bytes(WeightId id, const Slice& slice) const {
    const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
    std::int64_t bytes = stored_[static_cast<std::size_t>(id)].bytesPerTensor;
    if (slice.axis >= 0)
        bytes = bytes * (slice.end - slice.begin) / weight.shape[slice.axis];
    return bytes * std::max(1, slice.expertCount);
}

// Of all blocks that the slice touches.
std::int64_t Partition::scaleBytes(WeightId id, const Slice& slice) const {
    const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
    const StoredWeight& stored = stored_[static_cast<std::size_t>(id)];
    std::int64_t bytes = stored.scaleBytesPerTensor;
    if (bytes > 0 && slice.axis >= 0) {
        const bool columns = slice.axis == weight.shape.rank() - 1;
        const std::int64_t block = columns ? stored.blockColumns : stored.blockRows;
        const std::int64_t touched = ceilDivide(slice.end, block) - slice.begin / block;
        bytes = bytes * touched / ceilDivide(weight.shape[slice.axis], block);
    }
    return bytes * std::max(1, slice.expertCount);
}

Slice Partition::slice(WeightId id, const Coordinates& where) const {
    const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
    const bool expert = weight.split == Split::Expert;
    const ExpertPlace place = expertPlace(mesh_, where);
    const Split split = expert ? weight.expertSplit : weight.split;
    const int parts = expert ? place.parts : mesh_.tp;
    const int index = expert ? place.part : where.tp;
    const bool byRow = split == Split::Row;
    const int axis = byRow ? weight.shape.rank() - 1 : 0;
    Slice slice;
    if (parts > 1 && split != Split::Replicate)
        slice = weight.heads > 0 ? headSlice(weight, axis, index)
                                 : freeSlice(weight, axis, parts, index);
    if (expert) {
        slice.expertCount = weight.experts / mesh_.ep;
        slice.firstExpert = place.index * slice.expertCount;
    } else {
        slice.expertCount = weight.experts;
    }
    slice.weight = id;
    slice.bytes = bytes(id, slice);
    slice.scaleBytes = scaleBytes(id, slice);
    return slice;
}

bool inStage(const Graph& graph, const Stage& stage, int layer) {
    if (layer < 0)
        return stage.embeds;
    if (layer >= graph.layerCount)
        return stage.answers;
    return layer >= stage.firstLayer && layer < stage.endLayer;
}

std::vector<WeightId> localWeights(const Graph& graph, const Node& node, const Coordinates& where) {
    std::vector<WeightId> out = node.weights;
    if (node.op != "linear" || out.size() < 2 || where.tp == 0)
        return out;
    if (graph.weights[static_cast<std::size_t>(out[0])].split == Split::Row)
        out.pop_back();
    return out;
}

std::vector<WeightId> weightsOf(const Graph& graph, const Stage& stage, const Coordinates& where) {
    std::vector<WeightId> out;
    std::vector<bool> seen(graph.weights.size(), false);
    for (const Node& node : graph.nodes) {
        if (!inStage(graph, stage, node.layer))
            continue;
        for (const WeightId id : localWeights(graph, node, where)) {
            if (seen[static_cast<std::size_t>(id)])
                continue;
            seen[static_cast<std::size_t>(id)] = true;
            out.push_back(id);
        }
    }
    return out;
}

std::vector<Slice> slicesOf(const Graph& graph,
                            const std::vector<StoredWeight>& stored,
                            const Plan& plan,
                            int rank) {
    const Partition partition(graph, stored, plan.mesh);
    const Coordinates where = coordinates(plan.mesh, rank);
    std::vector<Slice> out;
    for (const WeightId id :
         weightsOf(graph, plan.stages[static_cast<std::size_t>(where.pp)], where))
        out.push_back(partition.slice(id, where));
    return out;
}

}  // namespace fl::plan
