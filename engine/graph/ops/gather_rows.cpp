// SPDX-License-Identifier: Apache-2.0
// Picks the token rows whose logits somebody wants: Rows::Tokens → Rows::Sequences.
#include "kernels/api/gather_rows.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width));
    if (input(graph, node, 0).rows != Rows::Tokens ||
        output(graph, node, 0).rows != Rows::Sequences)
        return nodeError(node, "expected rows of tokens in and rows of sequences out");
    return Done{};
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_gather_rows_args>(arguments);
    args.rows = binding.rows;
    args.width = output(*binding.graph, *binding.node, 0).width;
    args.x = static_cast<const float*>(binding.inputs[0]);
    args.indices = binding.step.logitRows;
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef gatherRows() {
    return {.name = "gather_rows", .check = check, .cost = cost, .place = placeAlike, .bind = bind};
}

}  // namespace fl::graph::ops
