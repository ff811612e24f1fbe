// SPDX-License-Identifier: Apache-2.0
// How each weight of a graph is cut on a mesh. Private to the plan; slicesOf() and rankGraph() are
// its outside.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "engine/plan/plan.h"

namespace fl::plan {

struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Part `index` of `parts` of [0, size), in whole units; the first parts are the larger ones.
// Precondition: unit divides size, or the last unit is short.
Range cut(std::int64_t size, std::int64_t unit, int parts, int index);

class Partition {
public:
    Partition(const graph::Graph& graph, const std::vector<StoredWeight>& stored, const Mesh& mesh);

    // Precondition: the mesh satisfies the rules for this graph.
    Slice slice(graph::WeightId weight, const Coordinates& where) const;

    // Other ranks of the same stage and replica hold the same bytes.
    bool replicated(graph::WeightId weight) const;

    // Values that belong together along a dimension cut by Column or Row, so that the rows of one
    // product meet the columns of the next: the quantisation block of the row-cut weight.
    std::int64_t block(const graph::Weight& weight, std::int64_t size) const;

    const Mesh& mesh() const { return mesh_; }
    const graph::Graph& graph() const { return graph_; }

private:
    using Key = std::tuple<int, graph::WeightKind, std::int64_t>;  // layer, kind, cut size

    Slice headSlice(const graph::Weight& weight, int axis, int tp) const;
    Slice freeSlice(const graph::Weight& weight, int axis, int parts, int index) const;
    std::int64_t bytes(graph::WeightId weight, const Slice& slice) const;
    std::int64_t scaleBytes(graph::WeightId weight, const Slice& slice) const;
    void require(const graph::Weight& weight, std::int64_t size, std::int64_t unit);

    const graph::Graph& graph_;
    const std::vector<StoredWeight>& stored_;
    Mesh mesh_;
    std::map<Key, std::int64_t> blocks_;
};

// Length along the cut dimension of one of the parts that lie one behind the other.
std::int64_t partSize(const graph::Weight& weight, int axis);

// rankGraph() of plan.h, for callers that already cut the weights.
Result<graph::Graph> rankGraph(const Partition& partition,
                               const std::vector<Stage>& stages,
                               const Coordinates& where);

// The weights that the nodes of a stage use on this rank, in order of first use. A bias behind a
// row-cut product stays with the first rank of the tensor-parallel group, or it would be added
// several times.
std::vector<graph::WeightId> weightsOf(const graph::Graph& graph,
                                       const Stage& stage,
                                       const Coordinates& where);
bool inStage(const graph::Graph& graph, const Stage& stage, int layer);
// Node's weights as this rank has them.
std::vector<graph::WeightId> localWeights(const graph::Graph& graph,
                                          const graph::Node& node,
                                          const Coordinates& where);

}  // namespace fl::plan
