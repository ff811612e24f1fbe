// SPDX-License-Identifier: Apache-2.0
// Puts image rows where the prompt has their placeholders: inputs the tokens' rows and the images'.
// Attribute add: 1 adds them to the rows that are there.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2}));
    FL_DO(expectInteger(node, "add", 0));
    const std::int64_t width = input(graph, node, 0).width;
    FL_DO(expectWidth(graph, node, node.inputs[1], width));
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

OpDef placeImages() {
    return {.name = "place_images", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
