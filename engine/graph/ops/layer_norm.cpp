// SPDX-License-Identifier: Apache-2.0
// Norm by mean and variance, with a bias or without; attribute epsilon. Weights: scale, bias.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.weights = 1, .optionalWeights = 1}));
    FL_DO(expectReal(node, "epsilon"));
    const std::int64_t width = input(graph, node, 0).width;
    for (std::size_t i = 0; i < node.weights.size(); ++i)
        FL_DO(expectShape(graph, node, i, {width}));
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {7.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef layerNorm() {
    return {.name = "layer_norm", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
