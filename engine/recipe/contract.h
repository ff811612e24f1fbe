// SPDX-License-Identifier: Apache-2.0
// What a graph expects of a checkpoint against what its headers say: every tensor is matched,
// missing, unexpected or declared-ignored, and a wrong shape or type is named.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/graph/graph.h"
#include "engine/graph/stored_weight.h"

namespace fl::recipe {

enum class TensorStatus : std::uint8_t { Matched, Unexpected, Ignored, WrongShape, WrongType };
std::string_view name(TensorStatus status);  // "matched"

using graph::kWeightKindCount;

struct Contract {
    std::int64_t matched = 0;  // tensors of the checkpoint that the graph reads and can read
    std::int64_t missing = 0;  // tensors of the graph that the checkpoint lacks
    std::int64_t unexpected = 0;
    std::int64_t ignored = 0;          // declared, and no part of the computation
    std::vector<TensorStatus> status;  // index: place in Inventory::tensors()

    // Of the graph and what it declares; a weight used twice (tied embeddings) counts once. Packed
    // values count one each; scales and tables are no parameters.
    std::array<std::int64_t, kWeightKindCount> parametersByKind{};  // index: graph::WeightKind
    std::array<std::int64_t, kWeightKindCount> bytesByKind{};       // tensors that are there
    std::int64_t scaleBytes = 0;
    std::int64_t parameters = 0;
    // Per text token: of E experts k are used; without vision tower, projector and draft layers.
    std::int64_t activeParameters = 0;
    std::int64_t storedValues = 0;  // of all tensors that are there, packed ones unpacked
};

struct ContractResult {
    Contract contract;
    // Of the graph's weights; index: WeightId.
    std::vector<std::vector<checkpoint::TensorInfo>> tensors;
    std::vector<graph::StoredWeight> stored;
    std::vector<Finding> findings;  // folded
};

// Breaks off once cancelled; the result means nothing then.
ContractResult compareWithInventory(const graph::Graph& graph,
                                    const checkpoint::Inventory& inventory,
                                    const CancelToken& cancel = {});

}  // namespace fl::recipe
