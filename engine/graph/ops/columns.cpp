// SPDX-License-Identifier: Apache-2.0
// Takes columns [begin, end) of each of `groups` equal parts of a row (queries and their gate lie
// side by side in each head; latent and rotary key in one row).
#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    FL_DO(expectInteger(node, "groups", 1));
    FL_DO(expectInteger(node, "cut", 0));
    FL_DO(expectInteger(node, "begin", 0));
    FL_DO(expectInteger(node, "end", node.integer("begin") + 1));
    const std::int64_t groups = node.integer("groups");
    const std::int64_t width = input(graph, node, 0).width;
    if (width % groups != 0 || node.integer("end") > width / groups)
        return nodeError(node, "expected columns within whole groups of the row");
    return expectWidth(graph, node, node.outputs[0],
                       groups * (node.integer("end") - node.integer("begin")));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {0, 8.0 * rows * static_cast<double>(output(graph, node, 0).width)};
}

static Result<Placed> place(const Graph&, const Node& node, std::span<const Placed> inputs) {
    const bool perGroup = node.integer("groups") > 1 || node.integer("cut") > 0;
    if (inputs[0] == Placed::Whole || (inputs[0] == Placed::Sharded && perGroup))
        return inputs[0];
    return placementError(node, perGroup ? "whole groups" : "whole rows");
}

static void localise(Node& node, int tp) {
    if (node.integer("cut") > 0) {
        node.set("begin", node.integer("begin") / tp);
        node.set("end", node.integer("end") / tp);
        return;
    }
    node.set("groups", std::max<std::int64_t>(1, node.integer("groups") / tp));
}

OpDef columns() {
    return {.name = "columns", .check = check, .cost = cost, .place = place, .localise = localise};
}

}  // namespace fl::graph::ops
