// SPDX-License-Identifier: Apache-2.0
// Keeps the rows of a pool, one for every `ratio` tokens: input and output the newest row.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return (node.integer("width") + node.integer("ratio") - 1) / node.integer("ratio");
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectInteger(node, "ratio", 1));
    FL_DO(expectInteger(node, "width", 1));
    FL_DO(expectWidth(graph, node, node.inputs[0], node.integer("width")));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("width")));
    return expectState(graph, node, State::Kind::Paged, stateElements(node));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    return {0, activationBytes(graph, node, question.rows)};
}

OpDef poolCache() {
    return {.name = "pool_cache",
            .check = check,
            .cost = cost,
            .place = placeWhole,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
