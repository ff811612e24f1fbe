// SPDX-License-Identifier: Apache-2.0
// Matrix product with a weight of [out, in] and an optional bias of [out].
#include "kernels/api/linear.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.weights = 1, .optionalWeights = 1}));
    const std::int64_t in = input(graph, node, 0).width;
    const std::int64_t out = output(graph, node, 0).width;
    FL_DO(expectShape(graph, node, 0, {out, in}));
    if (node.weights.size() > 1)
        return expectShape(graph, node, 1, {out});
    return Done{};
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto in = static_cast<double>(input(graph, node, 0).width);
    const auto out = static_cast<double>(output(graph, node, 0).width);
    return {2.0 * static_cast<double>(question.rows) * in * out,
            activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    const Weight& matrix = weight(graph, node, 0);
    const bool cutInput = matrix.split == Split::Row;
    if (cutInput && inputs[0] != Placed::Sharded)
        return placementError(node, "an input of which every rank has its part");
    if (!cutInput && inputs[0] != Placed::Whole)
        return placementError(node, "whole rows");
    if (cutInput)
        return Placed::Partial;
    // The only key/value head is held by every rank.
    const bool everywhere =
        matrix.split == Split::Replicate || (matrix.shareable && matrix.heads == 1);
    return everywhere ? Placed::Whole : Placed::Sharded;
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_linear_args>(arguments);
    const BoundWeight& matrix = binding.weights[0];
    args.rows = binding.rows;
    args.in = matrix.shape[1];
    args.out = matrix.shape[0];
    args.x = static_cast<const float*>(binding.inputs[0]);
    args.weight = matrix.data;
    args.weight_dtype = toKernel(matrix.dtype);
    if (binding.weights.size() > 1) {
        args.bias = binding.weights[1].data;
        args.bias_dtype = toKernel(binding.weights[1].dtype);
    }
    args.compute = static_cast<fl_compute>(binding.step.compute);
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef linear() {
    return {.name = "linear", .check = check, .cost = cost, .place = place, .bind = bind};
}

}  // namespace fl::graph::ops
