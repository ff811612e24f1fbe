// SPDX-License-Identifier: Apache-2.0
// The gated activation of SwiGLU: inputs gate and up.
#include "kernels/api/silu_mul.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2}));
    FL_DO(expectWidth(graph, node, node.inputs[1], input(graph, node, 0).width));
    return expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width);
}

// An exponential counts as four operations.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {6.0 * rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_silu_mul_args>(arguments);
    args.rows = binding.rows;
    args.width = output(*binding.graph, *binding.node, 0).width;
    args.gate = static_cast<const float*>(binding.inputs[0]);
    args.up = static_cast<const float*>(binding.inputs[1]);
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef siluMul() {
    return {.name = "silu_mul", .check = check, .cost = cost, .place = placeAlike, .bind = bind};
}

}  // namespace fl::graph::ops
