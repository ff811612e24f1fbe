// SPDX-License-Identifier: Apache-2.0
// One function on every value; attribute kind: gelu, gelu_tanh, silu, sigmoid, relu, relu2
// (the square of relu).
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectWord(node, "kind", {"gelu", "gelu_tanh", "silu", "sigmoid", "relu", "relu2"}));
    return expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {5.0 * rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef activation() {
    return {.name = "activation", .check = check, .cost = cost, .place = placeAlike};
}

}  // namespace fl::graph::ops
