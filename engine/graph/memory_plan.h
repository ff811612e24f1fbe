// SPDX-License-Identifier: Apache-2.0
// Where each value of a graph lies in one workspace, shared by values that never live at once.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/graph/graph.h"

namespace fl::graph {

// Rows of one step, or the most that any step has.
struct RowCounts {
    std::int64_t tokens = 0;
    std::int64_t patches = 0;
    std::int64_t sequences = 0;
    std::int64_t groupTokens = 0;
    std::int64_t of(Rows rows) const;
};

struct MemoryPlan {
    // Bytes from the beginning of the workspace, index: ValueId; −1: no node makes the value.
    std::vector<std::int64_t> offsets;
    std::int64_t peakBytes = 0;          // of the workspace
    std::int64_t bytesWithoutReuse = 0;  // if every value had its own place
};

enum class Taps : std::uint8_t {
    Reuse,  // a tapped value may be overwritten once its last reader is done
    Keep,   // every value with a tap stays until the step ends, to be copied out
};

constexpr std::int64_t kValueAlignment = 64;

// First-fit in order of execution. The graph's output stays until the end; the result of an
// all_reduce takes its input's place where nobody reads that input afterwards.
MemoryPlan planMemory(const Graph& graph, const RowCounts& rows, Taps taps);

}  // namespace fl::graph
