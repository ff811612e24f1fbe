// SPDX-License-Identifier: Apache-2.0
// Rows of the token table for the ids of the step; no inputs. Cut by token id, every rank fills
// the rows it has and zeros elsewhere, so a sum joins them.
#include "kernels/api/embedding.h"

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 0, .weights = 1}));
    return expectShape(graph, node, 0, {graph.vocabSize, output(graph, node, 0).width});
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed>) {
    switch (weight(graph, node, 0).split) {
        case Split::Replicate:
            return Placed::Whole;
        case Split::Vocab:
            return Placed::Partial;
        default:
            return placementError(node, "a table that is replicated or cut by token id");
    }
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_embedding_args>(arguments);
    const BoundWeight& table = binding.weights[0];
    args.rows = binding.rows;
    args.width = table.shape[1];
    args.ids = binding.step.ids;
    args.table = table.data;
    args.table_dtype = toKernel(table.dtype);
    args.table_rows = table.shape[0];
    args.first_id = table.firstRow;
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef embedding() {
    return {.name = "embedding", .check = check, .cost = cost, .place = place, .bind = bind};
}

}  // namespace fl::graph::ops
