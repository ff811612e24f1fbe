// SPDX-License-Identifier: Apache-2.0
// Which tokens a row attends to (DeepSeek-V3.2, "lightning indexer"): inputs q [heads · dim], key
// [dim] and head weights [heads]; the score of an earlier token is the sum over heads of weight ·
// ReLU(q · key); output the `top_k` best ids (I32). Keeps a key of every token; with ratio > 1 of
// every block of so many (the key is a pooled one).
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return (node.integer("dim") + node.integer("ratio") - 1) / node.integer("ratio");
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 3}));
    for (const char* key : {"heads", "dim", "top_k", "ratio"})
        FL_DO(expectInteger(node, key, 1));
    FL_DO(expectWidth(graph, node, node.inputs[0], node.integer("heads") * node.integer("dim")));
    FL_DO(expectWidth(graph, node, node.inputs[1], node.integer("dim")));
    FL_DO(expectWidth(graph, node, node.inputs[2], node.integer("heads")));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("top_k")));
    FL_DO(expectDType(graph, node, node.outputs[0], DType::I32));
    return expectState(graph, node, State::Kind::Paged, stateElements(node));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const double keys = question.contextTokens / static_cast<double>(node.integer("ratio"));
    const auto heads = static_cast<double>(node.integer("heads"));
    const auto dim = static_cast<double>(node.integer("dim"));
    return {2.0 * rows * keys * heads * (dim + 1), activationBytes(graph, node, question.rows)};
}

OpDef sparseIndex() {
    return {.name = "sparse_index",
            .check = check,
            .cost = cost,
            .place = placeWhole,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
