// SPDX-License-Identifier: Apache-2.0
// Attention over a window of tokens and a pool of compressed blocks, with one head of keys that are
// the values too (DeepSeek-V4): inputs q [heads · head_dim] and kv [head_dim]; with ratio > 0 also
// the pool's newest row [head_dim], and with top_k > 0 the ids of the blocks a row attends to.
// Weight: a sink of every head, in the softmax's denominator only. The output is turned back by the
// row's position. Keeps the window's rows; the pool is kept by pool_cache.
#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return node.integer("head_dim");
}

static Status check(const Graph& graph, const Node& node) {
    for (const char* key : {"heads", "head_dim", "window"})
        FL_DO(expectInteger(node, key, 1));
    FL_DO(expectInteger(node, "ratio", 0));
    FL_DO(expectInteger(node, "top_k", 0));
    FL_DO(expectReal(node, "scale"));
    const bool pooled = node.integer("ratio") > 0;
    const bool selects = node.integer("top_k") > 0;
    FL_DO(expectArity(
        node, {.inputs = std::size_t{2} + (pooled ? 1U : 0U) + (selects ? 1U : 0U), .weights = 1}));
    const std::int64_t headDim = node.integer("head_dim");
    FL_DO(expectWidth(graph, node, node.inputs[0], node.integer("heads") * headDim));
    FL_DO(expectWidth(graph, node, node.inputs[1], headDim));
    if (pooled)
        FL_DO(expectWidth(graph, node, node.inputs[2], headDim));
    if (selects)
        FL_DO(expectWidth(graph, node, node.inputs.back(), node.integer("top_k")));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("heads") * headDim));
    FL_DO(expectShape(graph, node, 0, {node.integer("heads")}));
    return expectState(graph, node, State::Kind::Paged, stateElements(node));
}

// Scores and sums over the window and the blocks that are looked at.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto ratio = static_cast<double>(node.integer("ratio"));
    const auto topK = static_cast<double>(node.integer("top_k"));
    double keys = std::min(question.contextTokens, static_cast<double>(node.integer("window")));
    if (ratio > 0) {
        const double blocks = question.contextTokens / ratio;
        keys += topK > 0 ? std::min(topK, blocks) : blocks;
    }
    const auto width = static_cast<double>(output(graph, node, 0).width);
    return {4.0 * rows * width * keys, activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    return placeQueries(node, inputs, "queries cut by heads and whole keys");
}

OpDef poolAttention() {
    return {.name = "pool_attention",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localiseHeads,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
