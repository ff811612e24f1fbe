// SPDX-License-Identifier: Apache-2.0
// The gated delta rule (arXiv 2412.06464, eq. 10; with a decay of every channel: Kimi Linear, arXiv
// 2510.26692): inputs q, k [key_heads · key_dim], v [value_heads · value_dim], decay and beta; q
// and k are L2-normalised, and their heads repeated to those of v. Attribute decay: "head" (input
// [value_heads]) or "channel" ([value_heads · key_dim]); bound: 0, or the decay's lower bound.
// Weights: A_log and dt_bias. Keeps one matrix [key_dim, value_dim] of every value head.
#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return node.integer("value_heads") * node.integer("key_dim") * node.integer("value_dim");
}

static Status checkWidths(const Graph& graph, const Node& node) {
    const std::int64_t heads = node.integer("value_heads");
    const std::int64_t keys = node.integer("key_heads") * node.integer("key_dim");
    const std::int64_t values = heads * node.integer("value_dim");
    const bool channels = node.text("decay") == "channel";
    FL_DO(expectWidth(graph, node, node.inputs[0], keys));
    FL_DO(expectWidth(graph, node, node.inputs[1], keys));
    FL_DO(expectWidth(graph, node, node.inputs[2], values));
    FL_DO(
        expectWidth(graph, node, node.inputs[3], heads * (channels ? node.integer("key_dim") : 1)));
    FL_DO(expectWidth(graph, node, node.inputs[4], heads));
    return expectWidth(graph, node, node.outputs[0], values);
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 5, .weights = 2}));
    for (const char* key : {"key_heads", "value_heads", "key_dim", "value_dim"})
        FL_DO(expectInteger(node, key, 1));
    FL_DO(expectWord(node, "decay", {"head", "channel"}));
    FL_DO(expectReal(node, "bound"));
    if (node.integer("value_heads") % node.integer("key_heads") != 0)
        return nodeError(node, "expected value_heads that are a multiple of key_heads");
    FL_DO(checkWidths(graph, node));
    return expectState(graph, node, State::Kind::Fixed, stateElements(node));
}

// Of every state element: decay, product with k, its correction, and product with q.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {7.0 * rows * static_cast<double>(stateElements(node)),
            activationBytes(graph, node, question.rows)};
}

static void localise(Node& node, int tp) {
    node.set("key_heads", std::max<std::int64_t>(1, node.integer("key_heads") / tp));
    node.set("value_heads", node.integer("value_heads") / tp);
}

OpDef deltaRule() {
    return {.name = "delta_rule",
            .check = check,
            .cost = cost,
            .place = placeAlike,
            .localise = localise,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
