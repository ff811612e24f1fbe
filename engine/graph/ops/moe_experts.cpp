// SPDX-License-Identifier: Apache-2.0
// The chosen experts' gated MLPs: inputs x, ids, weights; weight families gate, up, down;
// attributes experts and k. Optional: activation and its numbers (silu), and form, how gate and up
// are stored: "apart", or as one family with gate before up ("halves") or row by row
// ("interleaved"); with transposed = 1 matrices are [in, out]; with weigh_input = 1 weights
// multiply what goes into an expert, not what comes out. Biases, one family for each of matrices,
// follow those. Ranks hold other experts or other parts of them: a sum joins the rows.
#include "kernels/api/moe_experts.h"

#include <algorithm>

#include "engine/graph/gated_activation_kinds.h"
#include "engine/graph/op_check.h"
#include "engine/graph/ops/ops.h"

namespace fl::graph::ops {

namespace {

struct Layout {
    bool fused = false;
    bool transposed = false;
    bool biased = false;
    std::size_t matrices = 3;
    std::int64_t inner = 0;
};

bool isWord(const Node& node, std::string_view key, std::string_view word) {
    return !node.find(key) || node.text(key) == word;
}

Result<Layout> layoutOf(const Graph& graph, const Node& node) {
    Layout layout;
    if (node.find("form"))
        FL_DO(expectWord(node, "form", {"apart", "halves", "interleaved"}));
    layout.fused = !isWord(node, "form", "apart");
    layout.transposed = node.find("transposed") && node.integer("transposed") > 0;
    layout.matrices = layout.fused ? 2 : 3;
    layout.biased = node.weights.size() == 2 * layout.matrices;
    if (!layout.biased && node.weights.size() != layout.matrices)
        return nodeError(node, "expected " + std::to_string(layout.matrices) +
                                   " weight families, and a bias for each or none");
    const Shape& gate = weight(graph, node, 0).shape;
    if (gate.rank() != 2)
        return nodeError(node, "expected gate weights of [inner, hidden]");
    layout.inner = gate[layout.transposed ? 1 : 0] / (layout.fused ? 2 : 1);
    return layout;
}

Shape oriented(const Layout& layout, std::int64_t out, std::int64_t in) {
    return layout.transposed ? Shape{in, out} : Shape{out, in};
}

Status checkShapes(const Graph& graph, const Node& node, const Layout& layout) {
    const std::int64_t hidden = input(graph, node, 0).width;
    const std::int64_t wide = layout.inner * (layout.fused ? 2 : 1);
    for (std::size_t i = 0; i < layout.matrices; ++i) {
        const bool down = i + 1 == layout.matrices;
        const std::int64_t out = down ? hidden : wide;
        FL_DO(expectShape(graph, node, i, oriented(layout, out, down ? layout.inner : hidden)));
        if (layout.biased)
            FL_DO(expectShape(graph, node, layout.matrices + i, {out}));
    }
    return Done{};
}

}  // namespace

static Status check(const Graph& graph, const Node& node) {
    FL_DO(expectArity(node, {.inputs = 3, .weights = 2, .optionalWeights = 4}));
    FL_DO(expectInteger(node, "experts", 1));
    FL_DO(expectInteger(node, "k", 1));
    if (node.find("activation"))
        FL_DO(checkGatedActivation(node, "activation"));
    FL_TRY(const Layout layout, layoutOf(graph, node));
    FL_DO(checkShapes(graph, node, layout));
    for (std::size_t i = 0; i < node.weights.size(); ++i) {
        if (weight(graph, node, i).experts != node.integer("experts"))
            return nodeError(node, "expected weight families with one tensor per expert");
    }
    FL_DO(expectWidth(graph, node, node.inputs[1], node.integer("k")));
    FL_DO(expectWidth(graph, node, node.inputs[2], node.integer("k")));
    FL_DO(expectDType(graph, node, node.inputs[1], DType::I32));
    return expectWidth(graph, node, node.outputs[0], input(graph, node, 0).width);
}

static std::string missing(const Graph& graph, const Node& node) {
    if (node.find("activation"))
        return "activation " + node.text("activation");
    if (node.find("weigh_input"))
        return "weights on the experts' inputs";
    const auto layout = layoutOf(graph, node);
    return layout && layout->fused ? "gate and up in one tensor" : "";
}

static Cost cost(const Graph& graph, const Node& node, const CostQuestion& question) {
    const auto rows = static_cast<double>(question.rows);
    const auto k = static_cast<double>(node.integer("k"));
    const auto layout = layoutOf(graph, node);
    const auto inner = static_cast<double>(layout ? layout->inner : 0);
    const auto hidden = static_cast<double>(input(graph, node, 0).width);
    return {6.0 * rows * k * inner * hidden, activationBytes(graph, node, question.rows)};
}

static Result<Placed> place(const Graph& graph, const Node& node, std::span<const Placed> inputs) {
    const bool whole = std::all_of(inputs.begin(), inputs.end(),
                                   [](Placed placed) { return placed == Placed::Whole; });
    if (!whole)
        return placementError(node, "whole rows");
    return weight(graph, node, 0).split == Split::Expert ? Placed::Partial : Placed::Whole;
}

static void bind(const Binding& binding, KernelArguments& arguments) {
    auto& args = emplace<fl_moe_experts_args>(arguments);
    const BoundWeight& gate = binding.weights[0];
    const BoundWeight& up = binding.weights[1];
    const BoundWeight& down = binding.weights[2];
    args.rows = binding.rows;
    args.hidden = gate.shape[1];
    args.intermediate = gate.shape[0];
    args.k = static_cast<int32_t>(binding.node->integer("k"));
    args.first_expert = static_cast<int32_t>(gate.firstExpert);
    args.local_experts = static_cast<int32_t>(gate.localExperts);
    args.x = static_cast<const float*>(binding.inputs[0]);
    args.ids = static_cast<const int32_t*>(binding.inputs[1]);
    args.weights = static_cast<const float*>(binding.inputs[2]);
    args.gate = gate.experts;
    args.up = up.experts;
    args.down = down.experts;
    args.gate_dtype = toKernel(gate.dtype);
    args.up_dtype = toKernel(up.dtype);
    args.down_dtype = toKernel(down.dtype);
    args.compute = static_cast<fl_compute>(binding.step.compute);
    args.y = static_cast<float*>(binding.outputs[0]);
}

OpDef moeExperts() {
    return {.name = "moe_experts",
            .check = check,
            .cost = cost,
            .place = place,
            .bind = bind,
            .missing = missing};
}

}  // namespace fl::graph::ops
