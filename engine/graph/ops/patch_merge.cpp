// SPDX-License-Identifier: Apache-2.0
// Lays `side` · `side` neighbouring patches side by side into one row: the rows that become tokens.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectInteger(node, "side", 1));
    const std::int64_t side = node.integer("side");
    return expectWidth(graph, node, node.outputs[0], side * side * input(graph, node, 0).width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

OpDef patchMerge() {
    return {.name = "patch_merge", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
