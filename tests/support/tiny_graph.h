// SPDX-License-Identifier: Apache-2.0
// A decoder of any small shape built without a recipe, so that graph and plan are tested from
// literals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/graph/stored_weight.h"

namespace fl::test {

struct TinyModel {
    int layers = 2;
    std::int64_t hidden = 64;
    std::int64_t vocab = 512;
    std::int64_t heads = 4;
    std::int64_t kvHeads = 2;
    std::int64_t headDim = 16;
    std::int64_t inner = 160;
    int experts = 0;  // 0: dense
    int chosen = 2;
    std::int64_t context = 2048;
    bool tied = false;
    bool qkNorm = false;
    bool attentionBias = false;
};

// The shape of SmolLM2-135M, whose nine heads make TP 1, 3 or 9 legal.
inline const TinyModel kSmolLike{.layers = 30,
                                 .hidden = 576,
                                 .vocab = 49152,
                                 .heads = 9,
                                 .kvHeads = 3,
                                 .headDim = 64,
                                 .inner = 1536,
                                 .context = 8192,
                                 .tied = true};

graph::Graph tinyGraph(const TinyModel& model);

// Every matrix in `matrices`, every vector in F32.
std::vector<graph::StoredWeight> storedAs(const graph::Graph& graph, DType matrices);

}  // namespace fl::test
