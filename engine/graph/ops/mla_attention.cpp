// SPDX-License-Identifier: Apache-2.0
// Causal attention over a latent cache (DeepSeek-V2, arXiv 2405.04434, section 2.1), absorbed: keys
// and values are never expanded. Inputs: q [heads · (nope + rope)], latent [latent], key [rope],
// already turned; with top_k > 0 also ids [top_k], the tokens that a row attends to. Weights: kv_b
// [heads · (nope + value), latent], or k_b [heads, latent, nope] and v_b [heads, value, latent].
// Keeps latent + rope elements of every token.
#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return node.integer("latent") + node.integer("rope");
}

static Status checkWeights(const Graph& graph, const Node& node) {
    const std::int64_t heads = node.integer("heads");
    const std::int64_t nope = node.integer("nope");
    const std::int64_t value = node.integer("value");
    const std::int64_t latent = node.integer("latent");
    if (node.weights.size() == 1)
        return expectShape(graph, node, 0, {heads * (nope + value), latent});
    FL_DO(expectShape(graph, node, 0, {heads, latent, nope}));
    return expectShape(graph, node, 1, {heads, value, latent});
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectInteger(node, "top_k", 0));
    const bool selects = node.integer("top_k") > 0;
    FL_DO(expectArity(node, {.inputs = selects ? 4U : 3U, .weights = 1, .optionalWeights = 1}));
    for (const char* key : {"heads", "nope", "value", "latent"})
        FL_DO(expectInteger(node, key, 1));
    FL_DO(expectInteger(node, "rope", 0));
    FL_DO(expectReal(node, "scale"));
    FL_DO(checkWeights(graph, node));
    const std::int64_t heads = node.integer("heads");
    const std::int64_t rope = node.integer("rope");
    FL_DO(expectWidth(graph, node, node.inputs[0], heads * (node.integer("nope") + rope)));
    FL_DO(expectWidth(graph, node, node.inputs[1], node.integer("latent")));
    FL_DO(expectWidth(graph, node, node.inputs[2], rope));
    if (selects) {
        FL_DO(expectWidth(graph, node, node.inputs[3], node.integer("top_k")));
        FL_DO(expectDType(graph, node, node.inputs[3], DType::I32));
    }
    FL_DO(expectWidth(graph, node, node.outputs[0], heads * node.integer("value")));
    return expectState(graph, node, State::Kind::Paged, stateElements(node));
}

// Queries into the latent space, scores and sums there, values out of it.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto heads = static_cast<double>(node.integer("heads"));
    const auto latent = static_cast<double>(node.integer("latent"));
    const auto rope = static_cast<double>(node.integer("rope"));
    const auto topK = static_cast<double>(node.integer("top_k"));
    const double context =
        topK > 0 ? std::min(topK, question.contextTokens) : question.contextTokens;
    const auto expanded = static_cast<double>(node.integer("nope") + node.integer("value"));
    const double perHead = latent * expanded + context * (2 * latent + rope);
    return {2.0 * rows * heads * perHead, activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    return placeQueries(node, inputs, "queries cut by heads and a whole latent");
}

OpDef mlaAttention() {
    return {.name = "mla_attention",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localiseHeads,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
