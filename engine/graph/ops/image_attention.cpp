// SPDX-License-Identifier: Apache-2.0
// Attention of the patches of one image to each other, q and k turned by row and column: input q, k
// and v side by side [3 · heads · head_dim]; attributes heads, head_dim.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectInteger(node, "heads", 1));
    FL_DO(expectInteger(node, "head_dim", 1));
    const std::int64_t width = node.integer("heads") * node.integer("head_dim");
    FL_DO(expectWidth(graph, node, node.inputs[0], 3 * width));
    return expectWidth(graph, node, node.outputs[0], width);
}

// The rows are the patches of one image.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {4.0 * rows * rows * static_cast<double>(output(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef imageAttention() {
    return {.name = "image_attention", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
