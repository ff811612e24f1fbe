// SPDX-License-Identifier: Apache-2.0
// What stages report while they run: plain numbers that fit a ring.
#pragma once

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

}  // namespace fl::telemetry
