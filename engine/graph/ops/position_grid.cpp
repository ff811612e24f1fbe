// SPDX-License-Identifier: Apache-2.0
// Adds a learned table of positions, stretched to the image's grid: weight [height, width, row] or
// [positions, row]; attribute resample: bicubic, bilinear.
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.weights = 1}));
    FL_DO(expectWord(node, "resample", {"bicubic", "bilinear"}));
    const Shape& shape = weight(graph, node, 0).shape;
    const std::int64_t width = input(graph, node, 0).width;
    if (shape.rank() < 2 || shape[shape.rank() - 1] != width)
        return nodeError(node, "expected a table of rows");
    return expectWidth(graph, node, node.outputs[0], width);
}

// Bicubic reads 16 rows of the table for each patch, bilinear 4.
static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const double taps = node.text("resample") == "bicubic" ? 16 : 4;
    return {(2.0 * taps + 1) * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

OpDef positionGrid() {
    return {.name = "position_grid", .check = check, .cost = cost, .place = placeWhole};
}

}  // namespace fl::graph::ops
