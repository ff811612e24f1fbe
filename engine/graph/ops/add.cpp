// SPDX-License-Identifier: Apache-2.0
// Sum of two values: the residual stream.
#include "kernels/api/add.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2}));
    FL_DO(expectWidth(graph, node, node.inputs[1], input(graph, node, 0).width));
    return expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_add_args>(arguments);
    args.rows = binding.rows;
    args.width = output(*binding.graph, *binding.node, 0).width;
    args.a = static_cast<const float*>(binding.inputs[0]);
    args.b = static_cast<const float*>(binding.inputs[1]);
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef add() {
    return {.name = "add", .check = check, .cost = cost, .place = placeAlike, .bind = bind};
}

}  // namespace fl::graph::ops
