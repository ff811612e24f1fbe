// SPDX-License-Identifier: Apache-2.0
// The chosen experts' gated MLPs: inputs x, ids, weights; weight families gate, up, down;
// attributes experts and k. Ranks hold other experts or other parts of them: a sum joins the rows.
#include "kernels/api/moe_experts.h"

#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 3, .weights = 3}));
    FL_DO(expectInteger(node, "experts", 1));
    FL_DO(expectInteger(node, "k", 1));
    const std::int64_t hidden = input(graph, node, 0).width;
    const Shape& gate = weight(graph, node, 0).shape;
    if (gate.rank() != 2)
        return nodeError(node, "expected gate weights of [inner, hidden]");
    FL_DO(expectShape(graph, node, 0, {gate[0], hidden}));
    FL_DO(expectShape(graph, node, 1, {gate[0], hidden}));
    FL_DO(expectShape(graph, node, 2, {hidden, gate[0]}));
    for (std::size_t i = 0; i < 3; ++i) {
        if (weight(graph, node, i).experts != node.integer("experts"))
            return nodeError(node, "expected weight families with one tensor per expert");
    }
    FL_DO(expectWidth(graph, node, node.inputs[1], node.integer("k")));
    FL_DO(expectWidth(graph, node, node.inputs[2], node.integer("k")));
    FL_DO(expectDType(graph, node, node.inputs[1], DType::I32));
    return expectWidth(graph, node, node.outputs[0], hidden);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto k = static_cast<double>(node.integer("k"));
    const auto inner = static_cast<double>(weight(graph, node, 0).shape[0]);
    const auto hidden = static_cast<double>(input(graph, node, 0).width);
    return {6.0 * rows * k * inner * hidden, activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    const bool whole = std::all_of(inputs.begin(), inputs.end(),
                                   [](Placed placed) { return placed == Placed::Whole; });
    if (!whole)
        return placementError(node, "whole rows");
    return weight(graph, node, 0).split == Split::Expert ? Placed::Partial : Placed::Whole;
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_moe_experts_args>(arguments);
    const BoundWeight& gate = binding.weights[0];
    const BoundWeight& up = binding.weights[1];
    const BoundWeight& down = binding.weights[2];
    args.rows = binding.rows;
    args.hidden = gate.shape[1];
    args.intermediate = gate.shape[0];
    args.k = static_cast<int32_t>(binding.node->integer("k"));
    args.first_expert = static_cast<int32_t>(gate.firstExpert);
    args.local_experts = static_cast<int32_t>(gate.localExperts);
    args.x = static_cast<const float*>(binding.inputs[0]);
    args.ids = static_cast<const int32_t*>(binding.inputs[1]);
    args.weights = static_cast<const float*>(binding.inputs[2]);
    args.gate = gate.experts;
    args.up = up.experts;
    args.down = down.experts;
    args.gate_dtype = toKernel(gate.dtype);
    args.up_dtype = toKernel(up.dtype);
    args.down_dtype = toKernel(down.dtype);
    args.compute = static_cast<fl_compute>(binding.step.compute);
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef moeExperts() {
    return {.name = "moe_experts", .check = check, .cost = cost, .place = place, .bind = bind};
}

}  // namespace fl::graph::ops
