// SPDX-License-Identifier: Apache-2.0
// What stages report while they run: plain numbers that fit a ring.
#pragma once

#include <array>
#include <cstdint>

namespace fl::telemetry {

// One forward pass as rank 0 saw it.
struct StepRecord {
    double time = 0;     // unix seconds, at its end
    double seconds = 0;  // it took
    std::int32_t prefillTokens = 0;
    std::int32_t decodeTokens = 0;
    std::int32_t running = 0;  // sequences in it
    std::int32_t waiting = 0;  // requests not yet begun
    std::int64_t pagesUsed = 0;
    std::int64_t pages = 0;
};

// Memory of one rank's device; categories in the order of fl_memory_category.
struct MemoryRecord {
    double time = 0;
    std::array<std::int64_t, 8> bytes{};
    std::int64_t budget = 0;
    std::int64_t peak = 0;
    std::int64_t resident = 0;  // of the process
};

}  // namespace fl::telemetry
