// SPDX-License-Identifier: Apache-2.0
// What is asked of the engine and what comes back, as ids: text and stop strings stay in the
// control process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runtime/step.h"

namespace fl::scheduler {

struct Request {
    std::string name;  // unique among those that run
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> stopIds;
    std::int64_t maxTokens = 256;
    runtime::SampleRequest sampling;  // `draw` is set by the scheduler
    int replica = -1;                 // −1: the emptiest
};

struct Output {
    std::string request;
    std::vector<runtime::Sampled> tokens;  // a stop id is the last of them
    std::string finish;                    // empty: goes on; stop, length, cancelled, error
    std::string error;
    bool notFinite = false;  // the error is that the logits are no numbers
};

}  // namespace fl::scheduler
