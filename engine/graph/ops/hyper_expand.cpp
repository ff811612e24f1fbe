// SPDX-License-Identifier: Apache-2.0
// What a layer's part said goes back into the residual streams: inputs streams [streams · width],
// the part's row [width] and the mixes of hyper_collapse; output streams.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 3}));
    FL_DO(expectInteger(node, "streams", 1));
    const std::int64_t streams = node.integer("streams");
    const std::int64_t wide = input(graph, node, 0).width;
    FL_DO(expectWidth(graph, node, node.inputs[1], wide / streams));
    FL_DO(expectWidth(graph, node, node.inputs[2], streams * (2 + streams)));
    return expectWidth(graph, node, node.outputs[0], wide);
}

// Every stream is a sum over all streams and the row.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto streams = static_cast<double>(node.integer("streams"));
    return {2.0 * rows * static_cast<double>(input(graph, node, 0).width) * (streams + 1),
            activationBytes(graph, node, question.rows)};
}

OpDef hyperExpand() {
    return {.name = "hyper_expand", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
