// SPDX-License-Identifier: Apache-2.0
// Claims that operators make about their nodes. A failure names the operator, layer and site, what
// was expected and what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "engine/graph/op.h"
#include "kernels/api/dtype.h"

namespace fl::graph {

struct Arity {
    std::size_t inputs = 1;
    std::size_t outputs = 1;
    std::size_t weights = 0;
    std::size_t optionalWeights = 0;
};

Error nodeError(const Node& node, const std::string& problem);
Status expectArity(const Node& node, const Arity& arity);
Status expectWidth(const Graph& graph, const Node& node, ValueId value, std::int64_t width);
Status expectShape(const Graph& graph, const Node& node, std::size_t weight, const Shape& shape);
Status expectInteger(const Node& node, std::string_view key, std::int64_t least);
Status expectReal(const Node& node, std::string_view key);
Status expectWord(const Node& node,
                  std::string_view key,
                  std::initializer_list<std::string_view> words);
Status expectState(const Graph& graph, const Node& node, State::Kind kind, std::int64_t elements);
Status expectDType(const Graph& graph, const Node& node, ValueId value, DType dtype);

inline const Value& input(const Graph& graph, const Node& node, std::size_t index) {
    return graph.values[static_cast<std::size_t>(node.inputs[index])];
}
inline const Value& output(const Graph& graph, const Node& node, std::size_t index) {
    return graph.values[static_cast<std::size_t>(node.outputs[index])];
}
inline const Weight& weight(const Graph& graph, const Node& node, std::size_t index) {
    return graph.weights[static_cast<std::size_t>(node.weights[index])];
}

// Bytes that move when `inputs` and outputs of a node are read and written once.
double activationBytes(const Graph& graph, const Node& node, std::int64_t rows);

// All inputs lie alike, Whole or Sharded, and so does the output.
Result<Placed> placeAlike(const Graph& graph, const Node& node, std::span<const Placed> inputs);
// Every rank computes the same whole rows.
Result<Placed> placeWhole(const Graph& graph, const Node& node, std::span<const Placed> inputs);
// Queries cut by heads or whole; whatever else goes in is shared by all heads and so whole.
Result<Placed> placeQueries(const Node& node,
                            std::span<const Placed> inputs,
                            std::string_view expected);
// The heads of one rank of `tp`.
void localiseHeads(Node& node, int tp);
Error placementError(const Node& node, std::string_view expected);

// A zeroed argument struct with its size set.
template <class T>
T& emplace(KernelArguments& arguments) {
    static_assert(sizeof(T) <= sizeof(arguments.bytes));
    T* made = std::construct_at(reinterpret_cast<T*>(arguments.bytes.data()));
    made->size = sizeof(T);
    return *made;
}

inline fl_dtype toKernel(DType dtype) {
    return static_cast<fl_dtype>(dtype);
}

}  // namespace fl::graph
