// SPDX-License-Identifier: Apache-2.0
// Chooses experts per row: input router logits; outputs ids (I32) and weights, both [rows, k].
// Attributes experts, k, normalise.
#include "kernels/api/router_topk.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.outputs = 2}));
    FL_DO(expectInteger(node, "experts", 1));
    FL_DO(expectInteger(node, "k", 1));
    FL_DO(expectInteger(node, "normalise", 0));
    if (node.integer("k") > node.integer("experts"))
        return nodeError(node, "expected k of at most the number of experts");
    FL_DO(expectWidth(graph, node, node.inputs[0], node.integer("experts")));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("k")));
    FL_DO(expectWidth(graph, node, node.outputs[1], node.integer("k")));
    return expectDType(graph, node, node.outputs[0], DType::I32);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {8.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    if (inputs[0] != Placed::Whole)
        return placementError(node, "whole rows");
    return Placed::Whole;
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_router_topk_args>(arguments);
    const Node& node = *binding.node;
    args.rows = binding.rows;
    args.experts = static_cast<int32_t>(node.integer("experts"));
    args.k = static_cast<int32_t>(node.integer("k"));
    args.normalise = static_cast<int32_t>(node.integer("normalise"));
    args.logits = static_cast<const float*>(binding.inputs[0]);
    args.ids = static_cast<int32_t*>(binding.outputs[0]);
    args.weights = static_cast<float*>(binding.outputs[1]);
}

OpDef routerTopk() {
    return {.name = "router_topk", .check = check, .cost = cost, .place = place, .bind = bind};
}

}  // namespace fl::graph::ops
