// SPDX-License-Identifier: Apache-2.0
// Causal grouped-query attention over a paged cache: inputs q, k, v; attributes heads, kv_heads,
// head_dim, scale; optional: temperature and floor (queries are multiplied by 1 + temperature ·
// ln(1 + ⌊(position + 1) / floor⌋)), window, the last tokens that a row sees (0: all), and chunk,
// rows see only tokens of their own chunk of so many (0: no chunks). A weight [heads] is a sink of
// every head, in the softmax's denominator only. Keeps keys and values of the tokens that can be
// seen.
#include "kernels/api/attention.h"

#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return 2 * node.integer("kv_heads") * node.integer("head_dim");
}

static std::int64_t optional(const Node& node, std::string_view key) {
    return node.find(key) ? node.integer(key) : 0;
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 3, .optionalWeights = 1}));
    FL_DO(expectInteger(node, "heads", 1));
    FL_DO(expectInteger(node, "kv_heads", 1));
    FL_DO(expectInteger(node, "head_dim", 1));
    FL_DO(expectReal(node, "scale"));
    const std::int64_t heads = node.integer("heads");
    const std::int64_t kvHeads = node.integer("kv_heads");
    if (heads % kvHeads != 0) {
        return nodeError(node, "expected heads that are a multiple of kv_heads, found " +
                                   std::to_string(heads) + " and " + std::to_string(kvHeads));
    }
    if (!node.weights.empty())
        FL_DO(expectShape(graph, node, 0, {heads}));
    const std::int64_t headDim = node.integer("head_dim");
    FL_DO(expectWidth(graph, node, node.inputs[0], heads * headDim));
    FL_DO(expectWidth(graph, node, node.inputs[1], kvHeads * headDim));
    FL_DO(expectWidth(graph, node, node.inputs[2], kvHeads * headDim));
    FL_DO(expectWidth(graph, node, node.outputs[0], heads * headDim));
    return expectState(graph, node, State::Kind::Paged, stateElements(node));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto width = static_cast<double>(output(graph, node, 0).width);
    double keys = question.contextTokens;
    for (const char* key : {"window", "chunk"}) {
        if (optional(node, key) > 0)
            keys = std::min(keys, static_cast<double>(optional(node, key)));
    }
    return {4.0 * rows * width * keys, activationBytes(graph, node, question.rows)};
}

// A single key/value head lies whole on every rank; else all three are cut by heads.
static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    const Placed keys = node.integer("kv_heads") == 1 ? Placed::Whole : inputs[0];
    if (inputs[0] == Placed::Partial || inputs[1] != keys || inputs[2] != keys)
        return placementError(node, "queries, keys and values cut alike, by heads");
    return inputs[0];
}

static std::string missing(const Graph&, const Node& node) {
    if (!node.weights.empty())
        return "sinks";
    if (node.find("temperature"))
        return "a temperature that follows the position";
    if (optional(node, "chunk") > 0)
        return "chunks";
    return optional(node, "window") > 0 ? "a sliding window" : "";
}

static void localise(Node& node, int tp) {
    node.set("heads", node.integer("heads") / tp);
    node.set("kv_heads", std::max<std::int64_t>(1, node.integer("kv_heads") / tp));
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_attention_args>(arguments);
    const Node& node = *binding.node;
    const StepTables& step = binding.step;
    args.rows = binding.rows;
    args.heads = static_cast<int32_t>(node.integer("heads"));
    args.kv_heads = static_cast<int32_t>(node.integer("kv_heads"));
    args.head_dim = static_cast<int32_t>(node.integer("head_dim"));
    args.scale = static_cast<float>(node.real("scale"));
    args.q = static_cast<const float*>(binding.inputs[0]);
    args.k = static_cast<const float*>(binding.inputs[1]);
    args.v = static_cast<const float*>(binding.inputs[2]);
    const std::int64_t keyBytes = std::int64_t{step.pageTokens} * args.kv_heads * args.head_dim *
                                  blockLayout(binding.state.dtype).bytes;
    args.k_pages = binding.state.pages;
    args.v_pages = static_cast<std::byte*>(binding.state.pages) + keyBytes;
    args.kv_dtype = toKernel(binding.state.dtype);
    args.page_bytes = binding.state.pageBytes;
    args.page_tokens = step.pageTokens;
    args.row_sequences = step.rowSequences;
    args.row_positions = step.positions;
    args.page_tables = step.pageTables;
    args.table_stride = step.pageTableStride;
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef attention() {
    return {.name = "attention",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localise,
            .stateElements = stateElements,
            .bind = bind,
            .missing = missing};
}

}  // namespace fl::graph::ops
