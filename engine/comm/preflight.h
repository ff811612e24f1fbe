// SPDX-License-Identifier: Apache-2.0
// Every group is tried before a weight is read: a wrong network or a missing peer shows here, in
// milliseconds, and not at the first token.
#pragma once

#include <cstdint>

#include "engine/base/result.h"
#include "engine/comm/group.h"

namespace fl::comm {

struct PreflightTimes {
    double allReduceSeconds = 0;  // of allReduceBytes
    std::int64_t allReduceBytes = 0;
    double allToAllSeconds = 0;
    double ringBytesPerSecond = 0;
};

// A tiny all-reduce whose sum is checked, an all-to-all whose parts are checked, and a ring of
// sends and receives, each timed on its second run. Called by all members at the same time.
Result<PreflightTimes> preflight(Group& group, device::Device& device, device::Stream& stream);

}  // namespace fl::comm
