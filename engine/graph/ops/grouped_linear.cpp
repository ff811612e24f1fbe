// SPDX-License-Identifier: Apache-2.0
// A block-diagonal product: `groups` equal parts of a row, each with its own matrix; weight [out,
// in / groups], whose rows are the groups' one behind the other.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.weights = 1}));
    FL_DO(expectInteger(node, "groups", 1));
    const std::int64_t groups = node.integer("groups");
    const std::int64_t in = input(graph, node, 0).width;
    const std::int64_t out = output(graph, node, 0).width;
    if (in % groups != 0 || out % groups != 0)
        return nodeError(node, "expected rows that are whole groups");
    return expectShape(graph, node, 0, {out, in / groups});
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const Shape& shape = weight(graph, node, 0).shape;
    return {2.0 * rows * static_cast<double>(shape[0]) * static_cast<double>(shape[1]),
            activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    const bool cut = weight(graph, node, 0).split == Split::Head;
    if (inputs[0] != (cut ? Placed::Sharded : Placed::Whole))
        return placementError(node, "groups cut as the weight is");
    return inputs[0];
}

static void localise(Node& node, int tp) {
    node.set("groups", node.integer("groups") / tp);
}

OpDef groupedLinear() {
    return {.name = "grouped_linear",
            .check = check,
            .cost = cost,
            .place = place,
            .localise = localise};
}

}  // namespace fl::graph::ops
