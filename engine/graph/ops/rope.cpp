// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding in place: the output is the input's value. Attributes heads, head_dim,
// interleaved and those of rope_frequencies.h; optional: offset, where in each head the values that
// turn begin (0), and sections, a text like "11 11 10": how many pairs follow the position in time,
// height and width.
#include "kernels/api/rope.h"

#include <algorithm>

#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"
#include "engine/graph/rope_frequencies.h"

namespace fl::graph::ops {

static std::int64_t offsetOf(const Node& node) {
    return node.find("offset") ? node.integer("offset") : 0;
}

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {}));
    if (node.outputs[0] != node.inputs[0])
        return nodeError(node, "works in place, expected the input as output");
    FL_DO(expectInteger(node, "heads", 1));
    FL_DO(expectInteger(node, "head_dim", 2));
    FL_DO(expectInteger(node, "interleaved", 0));
    FL_DO(checkRope(node));
    if (offsetOf(node) < 0 || offsetOf(node) + node.integer("rotary") > node.integer("head_dim"))
        return nodeError(node, "expected rotary values within head_dim");
    return expectWidth(graph, node, node.inputs[0],
                       node.integer("heads") * node.integer("head_dim"));
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    return {3.0 * rows * static_cast<double>(input(graph, node, 0).width),
            activationBytes(graph, node, question.rows)};
}

static std::string missing(const Graph&, const Node& node) {
    if (node.find("sections"))
        return "positions in time, height and width";
    return offsetOf(node) > 0 ? "a rotary part behind others" : "";
}

static void localise(Node& node, int tp) {
    node.set("heads", std::max<std::int64_t>(1, node.integer("heads") / tp));
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_rope_args>(arguments);
    const Node& node = *binding.node;
    args.rows = binding.rows;
    args.heads = static_cast<int32_t>(node.integer("heads"));
    args.head_dim = static_cast<int32_t>(node.integer("head_dim"));
    args.rotary = static_cast<int32_t>(node.integer("rotary"));
    args.interleaved = static_cast<int32_t>(node.integer("interleaved"));
    args.attention_factor = static_cast<float>(ropeAttentionFactor(node));
    args.positions = binding.step.positions;
    args.inverse_frequencies = static_cast<const float*>(binding.constants);
    args.x = static_cast<float*>(binding.outputs[0]);
}

OpDef rope() {
    return {.name = "rope",
            .check = check,
            .cost = cost,
            .place = placeAlike,
            .localise = localise,
            .constants = ropeFrequencies,
            .bind = bind,
            .missing = missing};
}

}  // namespace fl::graph::ops
