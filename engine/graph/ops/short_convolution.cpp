// SPDX-License-Identifier: Apache-2.0
// Causal convolution of every channel with its own `taps` weights, then SiLU: weight [width, 1,
// taps]. Keeps the last taps − 1 rows of a sequence.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static std::int64_t stateElements(const Node& node) {
    return node.integer("width") * (node.integer("taps") - 1);
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.weights = 1}));
    FL_DO(expectInteger(node, "taps", 2));
    FL_DO(expectInteger(node, "width", 1));
    const std::int64_t width = node.integer("width");
    FL_DO(expectWidth(graph, node, node.inputs[0], width));
    FL_DO(expectWidth(graph, node, node.outputs[0], width));
    FL_DO(expectShape(graph, node, 0, {width, 1, node.integer("taps")}));
    return expectState(graph, node, State::Kind::Fixed, stateElements(node));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const double perValue = 2.0 * static_cast<double>(node.integer("taps")) + 4;
    return {rows * perValue * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    const bool cut = weight(graph, node, 0).split == Split::Head;
    if (inputs[0] == Placed::Partial || cut != (inputs[0] == Placed::Sharded))
        return placementError(node, "channels cut as the weight is");
    return inputs[0];
}

static void localise(Node& node, int tp) {
    node.set("width", node.integer("width") / tp);
}

OpDef shortConvolution() {
    return {.name = "short_convolution",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localise,
            .stateElements = stateElements};
}

}  // namespace fl::graph::ops
