// SPDX-License-Identifier: Apache-2.0
// Image patches into rows: weight [width, channels, …, side, side] of a convolution whose stride is
// its size, and a bias or none. The pixels come with the step.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 0, .weights = 1, .optionalWeights = 1}));
    const Shape& shape = weight(graph, node, 0).shape;
    const std::int64_t width = output(graph, node, 0).width;
    if (shape.rank() < 2 || shape[0] != width)
        return nodeError(node, "expected one filter for each value of a row");
    if (node.weights.size() > 1)
        FL_DO(expectShape(graph, node, 1, {width}));
    return Done{};
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto values = static_cast<double>(weight(graph, node, 0).shape.count().value_or(0));
    return {2.0 * rows * values, activationBytes(graph, node, question.rows)};
}

OpDef patchEmbed() {
    return {.name = "patch_embed", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
