// SPDX-License-Identifier: Apache-2.0
// What an operator declares about itself. One file per operator in graph/ops, one line in
// op_list.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace fl::graph {

// How a value lies on the ranks of a tensor-parallel group.
enum class Placed : std::uint8_t {
    Whole,    // every rank has the same full rows
    Sharded,  // every rank has its own part of each row
    Partial,  // every rank has full rows that must be summed
};

// Cost of one launch, for the planner: weight bytes are counted by the planner itself.
struct Cost {
    double flops = 0;
    double activationBytes = 0;
};

struct CostQuestion {
    std::int64_t rows = 0;
    double contextTokens = 0;  // mean number of cached tokens a row attends to
};

// Device addresses of what is the same for all nodes of one step. All arrays are int32.
struct StepTables {
    const std::int32_t* ids = nullptr;           // [tokens]
    const std::int32_t* positions = nullptr;     // [tokens]
    const std::int32_t* rowSequences = nullptr;  // [tokens] index into pageTables
    const std::int32_t* pageTables = nullptr;    // [sequences, pageTableStride]
    std::int64_t pageTableStride = 0;
    const std::int32_t* logitRows = nullptr;  // [sequence rows] token row of each
    std::int32_t pageTokens = 0;
    int compute = 0;  // fl_compute
};

struct BoundWeight {
    const void* data = nullptr;            // one tensor
    const void* const* experts = nullptr;  // or one address per local expert
    std::int64_t localExperts = 0;
    std::int64_t firstExpert = 0;
    DType dtype = DType::F32;
    Shape shape;                // the local slice
    std::int64_t firstRow = 0;  // where the slice begins along the cut dimension (vocab)
};

struct BoundState {
    void* pages = nullptr;       // this layer's pool
    std::int64_t pageBytes = 0;  // from one page to the next, keys and values together
    DType dtype = DType::F32;
};

// Everything an operator needs to fill its kernel's argument struct.
struct Binding {
    const Node* node = nullptr;
    const Graph* graph = nullptr;  // the rank's own graph: widths are local
    std::int64_t rows = 0;         // of the node's first output
    std::span<void* const> inputs;
    std::span<void* const> outputs;
    std::span<const BoundWeight> weights;
    BoundState state;
    const void* constants = nullptr;  // device copy of what `constants` of the OpDef gave
    StepTables step;
};

// Storage for one argument struct of kernels/api.
struct KernelArguments {
    alignas(16) std::array<std::byte, 256> bytes{};
};

struct OpDef {
    std::string_view name;  // also the stem of kernels/api/<name>.h

    // Checks inputs, weights and attributes of a node whose output values exist already with their
    // widths; the message names the node's site, what was expected and what was found.
    Status (*check)(const Graph& graph, const Node& node) = nullptr;

    Cost (*cost)(const Graph& graph, const Node& node, const CostQuestion& question) = nullptr;

    // How the outputs lie given how the inputs lie and the first weight's split; fails where the
    // operator cannot run on inputs placed like that.
    Result<Placed> (*place)(const Graph& graph,
                            const Node& node,
                            std::span<const Placed> inputs) = nullptr;

    // Rewrites attributes that count heads or experts for a rank whose weights are cut. Null where
    // there is nothing to rewrite.
    void (*localise)(Node& node, int tp) = nullptr;

    // Elements the node's state keeps per token or per sequence. Null: the operator has no state.
    std::int64_t (*stateElements)(const Node& node) = nullptr;

    // Values computed once per node and kept on the device (rope frequencies). Null: none.
    std::vector<float> (*constants)(const Node& node) = nullptr;

    // Fills the argument struct. Only called with bindings that match the checked node. Null: the
    // operator is declared, so that models with it can be planned, and nothing computes it yet.
    void (*bind)(const Binding& binding, KernelArguments& arguments) = nullptr;

    // What of this node no kernel computes ("a sliding window"); empty: nothing. Null: every node
    // that passes `check` can run.
    std::string (*missing)(const Graph& graph, const Node& node) = nullptr;
};

// rope works in place: its output is the same value as its input. Everywhere else a node's outputs
// are new values.

// All operators, in op_list.cpp; nullptr for an unknown name.
std::span<const OpDef> opList();
const OpDef* findOp(std::string_view name);

}  // namespace fl::graph
