// SPDX-License-Identifier: Apache-2.0
// Mixes residual streams into the input of a layer's part (manifold-constrained hyper-connections,
// arXiv 2512.24880): input streams [streams · width]; weights fn [mixes, streams · width], base
// [mixes], scale; outputs the row [width] and, unless `final`, the mixes that hyper_expand uses.
// mixes = streams · (2 + streams): into the row, out of it, and streams into streams (made doubly
// stochastic in `iterations` Sinkhorn steps). The final one has `streams` mixes.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectInteger(node, "streams", 1));
    FL_DO(expectInteger(node, "iterations", 0));
    FL_DO(expectInteger(node, "final", 0));
    FL_DO(expectReal(node, "epsilon"));
    const bool last = node.integer("final") > 0;
    FL_DO(expectArity(node, {.outputs = last ? 1U : 2U, .weights = 3}));
    const std::int64_t streams = node.integer("streams");
    const std::int64_t mixes = last ? streams : streams * (2 + streams);
    const std::int64_t wide = input(graph, node, 0).width;
    FL_DO(expectWidth(graph, node, node.outputs[0], wide / streams));
    if (!last)
        FL_DO(expectWidth(graph, node, node.outputs[1], mixes));
    FL_DO(expectShape(graph, node, 0, {mixes, wide}));
    FL_DO(expectShape(graph, node, 1, {mixes}));
    return expectShape(graph, node, 2, {last ? 1 : 3});
}

// Norm, product with fn, Sinkhorn steps, and the sum over streams.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const Shape& fn = weight(graph, node, 0).shape;
    const auto wide = static_cast<double>(fn[1]);
    const auto streams = static_cast<double>(node.integer("streams"));
    const double steps = 4.0 * static_cast<double>(node.integer("iterations")) * streams * streams;
    return {rows * (2.0 * static_cast<double>(fn[0]) * wide + 4.0 * wide + steps),
            activationBytes(graph, node, question.rows)};
}

OpDef hyperCollapse() {
    return {.name = "hyper_collapse", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
