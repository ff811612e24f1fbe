// SPDX-License-Identifier: Apache-2.0
// From logits to a token.
#pragma once

#include <cstdint>
#include <span>

#include "engine/runtime/step.h"

namespace fl::scheduler {

// Greedy at temperature 0 (ties: the lowest id). Else logits / temperature, the topK largest, of
// those the smallest set whose probability reaches topP (Holtzman et al. 2020), of those the ones
// with at least minP of the best one's probability (Nguyen et al. 2024), and a draw.
//
// A draw depends on seed and draw number alone, so a request gets the same tokens whatever else is
// in its batch. Log-probabilities are those of the model: before temperature and filters.
runtime::Sampled sample(std::span<const float> logits, const runtime::SampleRequest& request);

// The draw-th number of a seed's sequence, uniform in [0, 1).
double uniform(std::uint64_t seed, std::int64_t draw);

}  // namespace fl::scheduler
