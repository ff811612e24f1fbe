// SPDX-License-Identifier: Apache-2.0
// Pools blocks of `ratio` tokens into one row each (DeepSeek-V4): inputs values and scores [wide],
// where wide is `width`, or twice that with overlap = 1 (neighbouring blocks share tokens); the
// values of a block are summed with the softmax of their scores plus a learned position (weight
// [ratio, wide]), normed (weight [width]) and turned by the block's position. Output: the pool's
// newest row. Keeps the values and scores of tokens whose block is not full.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t wide(const Node& node) {
    return node.integer("width") * (1 + node.integer("overlap"));
}

static std::int64_t stateElements(const Node& node) {
    return 2 * wide(node) * node.integer("ratio") * (1 + node.integer("overlap"));
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2, .weights = 2}));
    FL_DO(expectInteger(node, "ratio", 2));
    FL_DO(expectInteger(node, "width", 1));
    FL_DO(expectInteger(node, "overlap", 0));
    FL_DO(expectReal(node, "epsilon"));
    FL_DO(expectWidth(graph, node, node.inputs[0], wide(node)));
    FL_DO(expectWidth(graph, node, node.inputs[1], wide(node)));
    FL_DO(expectWidth(graph, node, node.outputs[0], node.integer("width")));
    FL_DO(expectShape(graph, node, 0, {node.integer("ratio"), wide(node)}));
    FL_DO(expectShape(graph, node, 1, {node.integer("width")}));
    return expectState(graph, node, State::Kind::Fixed, stateElements(node));
}

// Softmax and sum over the block, counted once per token, and the norm once per block.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto width = static_cast<double>(wide(node));
    const double norm = 4.0 * static_cast<double>(node.integer("width")) /
                        static_cast<double>(node.integer("ratio"));
    return {rows * (8.0 * width + norm), activationBytes(graph, node, question.rows)};
}

OpDef compress() {
    return {.name = "compress",
            .check = check,
            .cost = cost,
            .place = placeWhole,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
