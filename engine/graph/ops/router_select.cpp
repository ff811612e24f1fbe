// SPDX-License-Identifier: Apache-2.0
// Chooses experts per row by a score of its own for selection (DeepSeek-V3, arXiv 2412.19437,
// section 2.1.2): input router logits; outputs ids (I32) and weights, both [rows, k]. Attributes
// experts, k, score (sigmoid, softmax, sqrt_softplus), groups and top_groups (the best groups are
// looked at alone), normalise, scale, choice: "score", "bias" (weight [experts], added for the
// selection only) or "token" (weight [vocabulary, k], the experts of each token id).
#include <algorithm>
#include <array>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

// Some checkpoints have it as a matrix of one row.
static Status expectBias(const Graph& graph, const Node& node) {
    const std::int64_t experts = node.integer("experts");
    if (weight(graph, node, 0).shape.rank() == 2)
        return expectShape(graph, node, 0, {1, experts});
    return expectShape(graph, node, 0, {experts});
}

static Status checkChoice(const Graph& graph, const Node& node) {
    FL_DO(expectWord(node, "score", {"sigmoid", "softmax", "sqrt_softplus"}));
    FL_DO(expectWord(node, "choice", {"score", "bias", "token"}));
    const std::string& choice = node.text("choice");
    FL_DO(expectArity(node, {.outputs = 2, .weights = choice == "score" ? 0U : 1U}));
    if (choice == "bias")
        return expectBias(graph, node);
    if (choice == "token")
        return expectShape(graph, node, 0, {graph.vocabSize, node.integer("k")});
    return Done{};
}

static Status check(const Graph& graph, const Node& node) {
    for (const char* key : {"experts", "k", "groups", "top_groups"})
        FL_DO(expectInteger(node, key, 1));
    FL_DO(expectInteger(node, "normalise", 0));
    FL_DO(expectReal(node, "scale"));
    FL_DO(checkChoice(graph, node));
    const std::int64_t experts = node.integer("experts");
    const std::int64_t groups = node.integer("groups");
    if (experts % groups != 0 || node.integer("top_groups") > groups)
        return nodeError(node, "expected whole groups of experts, and top_groups among them");
    if (node.integer("k") > experts / groups * node.integer("top_groups"))
        return nodeError(node, "expected k of at most the number of experts in the chosen groups");
    FL_DO(expectWidth(graph, node, node.inputs[0], experts));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("k")));
    FL_DO(expectWidth(graph, node, node.outputs[1], node.integer("k")));
    return expectDType(graph, node, node.outputs[0], DType::I32);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {8.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef routerSelect() {
    return {.name = "router_select", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
