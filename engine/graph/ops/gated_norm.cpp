// SPDX-License-Identifier: Apache-2.0
// Root mean square norm of every head, times the gate's activation (Gated DeltaNet, arXiv
// 2412.06464; Kimi Linear, arXiv 2510.26692): inputs x and gate; attributes groups, epsilon and
// gate (silu, sigmoid); weight [width / groups].
#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 2, .weights = 1}));
    FL_DO(expectInteger(node, "groups", 1));
    FL_DO(expectReal(node, "epsilon"));
    FL_DO(expectWord(node, "gate", {"silu", "sigmoid"}));
    const std::int64_t width = input(graph, node, 0).width;
    const std::int64_t groups = node.integer("groups");
    if (width % groups != 0)
        return nodeError(node, "expected a row that is whole groups");
    FL_DO(expectShape(graph, node, 0, {width / groups}));
    FL_DO(expectWidth(graph, node, node.inputs[1], width));
    return expectWidth(graph, node, node.outputs[0], width);
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {9.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static void localise(Node& node, int tp) {
    node.set("groups", std::max<std::int64_t>(1, node.integer("groups") / tp));
}

OpDef gatedNorm() {
    return {.name = "gated_norm",
            .check = check,
            .cost = cost,
            .place = placeAlike,
            .localise = localise};
}

}  // namespace fl::graph::ops
