// SPDX-License-Identifier: Apache-2.0
// What each layer costs a rank, for one way of cutting layers and experts: a stage of any layers is
// then a sum, so that a search need not build the graph of every stage of every mesh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/ledger.h"
#include "engine/plan/predict.h"

namespace fl::plan {

// Layers of one kind differ in nothing but their number, also not in how their weights are stored
// or in what crosses their edges.
struct LayerKinds {
    std::vector<int> kindOf;  // of each layer
    std::vector<int> first;   // the first layer of each kind
    // What crosses the edge before each layer (the last entry: the edge before the head): width of
    // all values together, and their number.
    std::vector<std::int64_t> crossingWidth;
    std::vector<int> crossingValues;
};
LayerKinds layerKinds(const graph::Graph& graph, const std::vector<StoredWeight>& stored);

struct StageCost {
    std::int64_t bytes = 0;  // of the whole ledger
    StageLoad load;
};

class LayerCosts {
public:
    // `mesh` as far as it matters to a layer: TP, EP, and the replicas over which experts are
    // spread. Looks at the first rank of a tensor-parallel group, which holds the largest parts.
    // `kinds` outlives the costs.
    static Result<LayerCosts> make(const graph::Graph& graph,
                                   const std::vector<StoredWeight>& stored,
                                   const LayerKinds& kinds,
                                   const Mesh& mesh,
                                   const PlanOptions& options,
                                   const std::string& deviceKind);

    // Weights and state are exact; activations and buffers are those of the largest layer.
    StageCost stage(const Stage& stage) const;

private:
    explicit LayerCosts(const LayerKinds& kinds) : kinds_(&kinds) {}

    const LayerKinds* kinds_;
    std::vector<RankCost> layers_;  // of a layer of each kind
    RankCost before_;
    RankCost behind_;
    std::int64_t tiedBytes_ = 0;  // held once by a stage with both ends
    double rows_ = 0;
};

}  // namespace fl::plan
