// SPDX-License-Identifier: Apache-2.0
// The gated activations of newer models: inputs gate and up; attribute kind:
//   silu        silu(gate) · up, gate clamped above and up on both sides by `limit` (0: not)
//   situ        beta · tanh(gate / beta) · σ(gate) · linear_beta · tanh(up / linear_beta)
//   swiglu_oai  gate · σ(alpha · gate) · (up + 1), clamped as silu
//   gelu_tanh   gelu(gate) · up
#include "engine/graph/gated_activation_kinds.h"
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2}));
    FL_DO(checkGatedActivation(node, "kind"));
    FL_DO(expectWidth(graph, node, node.inputs[1], input(graph, node, 0).width));
    return expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {10.0 * rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef gatedActivation() {
    return {.name = "gated_activation", .check = check, .cost = cost, .place = placeAlike};
}

}  // namespace fl::graph::ops
