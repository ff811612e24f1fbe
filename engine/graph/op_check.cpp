// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/op_check.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace fl::graph {

Error nodeError(const Node& node, const std::string& problem) {
    std::string place = node.layer < 0 ? "" : fmt::format(" of layer {}", node.layer);
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{} ({}{}): {}", node.op, node.site, place, problem)};
}

Status expectArity(const Node& node, const Arity& arity) {
    const auto expect = [&node](std::string_view what, std::size_t expected, std::size_t found) {
        return nodeError(node, fmt::format("expected {} {}, found {}", expected, what, found));
    };
    if (node.inputs.size() != arity.inputs)
        return expect("inputs", arity.inputs, node.inputs.size());
    if (node.outputs.size() != arity.outputs)
        return expect("outputs", arity.outputs, node.outputs.size());
    if (node.weights.size() < arity.weights ||
        node.weights.size() > arity.weights + arity.optionalWeights)
        return expect("weights", arity.weights, node.weights.size());
    return Done{};
}

Status expectWidth(const Graph& graph, const Node& node, ValueId value, std::int64_t width) {
    const Value& found = graph.values[static_cast<std::size_t>(value)];
    if (found.width == width)
        return Done{};
    return nodeError(node, fmt::format("expected {} values per row in {}, found {}", width,
                                       found.name, found.width));
}

Status expectShape(const Graph& graph, const Node& node, std::size_t index, const Shape& shape) {
    const Weight& found = weight(graph, node, index);
    if (found.shape == shape)
        return Done{};
    return nodeError(node, fmt::format("expected shape {} for {}, found {}", shape.text(),
                                       found.tensor, found.shape.text()));
}

Status expectInteger(const Node& node, std::string_view key, std::int64_t least) {
    const Attribute* attribute = node.find(key);
    const auto* whole = attribute ? std::get_if<std::int64_t>(attribute) : nullptr;
    if (!whole)
        return nodeError(node, fmt::format("expected a whole number for attribute {}", key));
    if (*whole < least)
        return nodeError(node,
                         fmt::format("expected {} of at least {}, found {}", key, least, *whole));
    return Done{};
}

Status expectReal(const Node& node, std::string_view key) {
    const Attribute* attribute = node.find(key);
    if (attribute && (std::holds_alternative<double>(*attribute) ||
                      std::holds_alternative<std::int64_t>(*attribute)))
        return Done{};
    return nodeError(node, fmt::format("expected a number for attribute {}", key));
}

Status expectWord(const Node& node,
                  std::string_view key,
                  std::initializer_list<std::string_view> words) {
    const Attribute* attribute = node.find(key);
    const auto* word = attribute ? std::get_if<std::string>(attribute) : nullptr;
    if (word && std::find(words.begin(), words.end(), *word) != words.end())
        return Done{};
    return nodeError(node, fmt::format("expected attribute {} to be one of {}, found {}", key,
                                       fmt::join(words, ", "), word ? *word : "nothing"));
}

Status expectState(const Graph& graph, const Node& node, State::Kind kind, std::int64_t elements) {
    const std::string_view word = kind == State::Kind::Paged ? "paged" : "fixed";
    if (node.state == kNone)
        return nodeError(node, fmt::format("expected a {} state", word));
    const State& state = graph.states[static_cast<std::size_t>(node.state)];
    if (state.kind == kind && state.elements == elements)
        return Done{};
    return nodeError(node, fmt::format("expected a {} state of {} elements, found {}", word,
                                       elements, state.elements));
}

Status expectDType(const Graph& graph, const Node& node, ValueId value, DType dtype) {
    const Value& found = graph.values[static_cast<std::size_t>(value)];
    if (found.dtype == dtype)
        return Done{};
    return nodeError(node, fmt::format("expected {} in {}, found {}", name(dtype), found.name,
                                       name(found.dtype)));
}

double activationBytes(const Graph& graph, const Node& node, std::int64_t rows) {
    std::int64_t width = 0;
    for (const ValueId id : node.inputs)
        width += graph.values[static_cast<std::size_t>(id)].width;
    for (const ValueId id : node.outputs)
        width += graph.values[static_cast<std::size_t>(id)].width;
    return 4.0 * static_cast<double>(width) * static_cast<double>(rows);
}

Result<Placed> placeWhole(const Graph&, const Node& node, std::span<const Placed> inputs) {
    const bool whole = std::all_of(inputs.begin(), inputs.end(),
                                   [](Placed placed) { return placed == Placed::Whole; });
    if (!whole)
        return placementError(node, "whole rows");
    return Placed::Whole;
}

Result<Placed> placeQueries(const Node& node,
                            std::span<const Placed> inputs,
                            std::string_view expected) {
    const bool shared = std::all_of(inputs.begin() + 1, inputs.end(),
                                    [](Placed placed) { return placed == Placed::Whole; });
    if (inputs[0] == Placed::Partial || !shared)
        return placementError(node, expected);
    return inputs[0];
}

void localiseHeads(Node& node, int tp) {
    node.set("heads", node.integer("heads") / tp);
}

Error placementError(const Node& node, std::string_view expected) {
    return nodeError(node,
                     fmt::format("cannot run on these parts of its inputs, needs {}", expected));
}

Result<Placed> placeAlike(const Graph&, const Node& node, std::span<const Placed> inputs) {
    const bool alike = std::all_of(inputs.begin(), inputs.end(),
                                   [&](Placed placed) { return placed == inputs.front(); });
    if (!alike || inputs.front() == Placed::Partial)
        return placementError(node, "inputs that lie alike");
    return inputs.front();
}

}  // namespace fl::graph
