// SPDX-License-Identifier: Apache-2.0
// x · σ(gate), where the gate has a value for each of x, or one for each of equal groups of x.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2}));
    const std::int64_t width = input(graph, node, 0).width;
    if (width % input(graph, node, 1).width != 0)
        return nodeError(node, "expected a gate for each of equal groups of the row");
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {5.0 * rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

// A gate of one value serves every part of the row.
static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    if (input(graph, node, 1).width == 1 && inputs[1] == Placed::Whole &&
        inputs[0] != Placed::Partial)
        return inputs[0];
    return placeAlike(graph, node, inputs);
}

OpDef sigmoidGate() {
    return {.name = "sigmoid_gate", .check = check, .cost = cost, .place = place};
}

}  // namespace fl::graph::ops
