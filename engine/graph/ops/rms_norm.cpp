// SPDX-License-Identifier: Apache-2.0
// Root mean square norm; attributes groups (1: the whole row, else one per head) and epsilon. The
// weight may be absent; attributes, optional: shift, is added to it (1: weights are stored less
// one), and across = 1, one norm over a row of heads, which ranks may cut as they cut the weight.
#include "kernels/api/rms_norm.h"

#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.optionalWeights = 1}));
    FL_DO(expectInteger(node, "groups", 1));
    FL_DO(expectReal(node, "epsilon"));
    const std::int64_t width = input(graph, node, 0).width;
    const std::int64_t groups = node.integer("groups");
    if (width % groups != 0)
        return nodeError(node, "expected a row that is whole groups");
    if (!node.weights.empty())
        FL_DO(expectShape(graph, node, 0, {width / groups}));
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {4.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    const bool perHead = node.integer("groups") > 1 || node.find("across");
    if (inputs[0] == Placed::Whole || (inputs[0] == Placed::Sharded && perHead))
        return inputs[0];
    return placementError(node, perHead ? "whole heads" : "whole rows");
}

static std::string missing(const Graph&, const Node& node) {
    if (node.weights.empty())
        return "no weight";
    if (node.find("across"))
        return "one norm over all heads";
    return node.find("shift") ? "weights that are stored less one" : "";
}

static void localise(Node& node, int tp) {
    node.set("groups", std::max<std::int64_t>(1, node.integer("groups") / tp));
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_rms_norm_args>(arguments);
    const BoundWeight& scale = binding.weights[0];
    args.rows = binding.rows;
    args.groups = binding.node->integer("groups");
    args.width = scale.shape[0];
    args.x = static_cast<const float*>(binding.inputs[0]);
    args.weight = scale.data;
    args.weight_dtype = toKernel(scale.dtype);
    args.epsilon = static_cast<float>(binding.node->real("epsilon"));
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef rmsNorm() {
    return {.name = "rms_norm",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localise,
            .bind = bind,
            .missing = missing};
}

}  // namespace fl::graph::ops
