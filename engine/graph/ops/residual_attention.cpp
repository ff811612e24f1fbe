// SPDX-License-Identifier: Apache-2.0
// Attention over residuals instead of a plain sum (Kimi K3): inputs the banked rows and the current
// one, all of one width; each is normed (weight [width]) and scored with one vector (weight [1,
// width]); output the sum of the rows with the softmax of their scores. Attribute epsilon.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    if (node.inputs.empty())
        return nodeError(node, "expected at least one residual");
    FL_DO(expectArity(node, {.inputs = node.inputs.size(), .weights = 2}));
    FL_DO(expectReal(node, "epsilon"));
    const std::int64_t width = input(graph, node, 0).width;
    for (const ValueId id : node.inputs)
        FL_DO(expectWidth(graph, node, id, width));
    FL_DO(expectShape(graph, node, 0, {width}));
    FL_DO(expectShape(graph, node, 1, {1, width}));
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto banked = static_cast<double>(node.inputs.size());
    return {8.0 * rows * banked * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef residualAttention() {
    return {.name = "residual_attention", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
