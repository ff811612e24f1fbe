// SPDX-License-Identifier: Apache-2.0
// One row becomes `streams` equal ones side by side (hyper-connections, arXiv 2409.19606).
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectInteger(node, "streams", 1));
    return expectWidth(graph, node, node.outputs[0],
                       node.integer("streams") * input(graph, node, 0).width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

OpDef repeatStreams() {
    return {.name = "repeat_streams", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
