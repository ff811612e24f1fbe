// SPDX-License-Identifier: Apache-2.0
// One golden file of a reference checkpoint, and how far from it a computed value lies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/runtime/step.h"

namespace fl::test {

struct GoldenCase {
    std::vector<std::int32_t> ids;
    std::map<std::string, std::vector<float>> rungs;  // "embed", "layer.0.attn", …, "logits"
    std::vector<std::int32_t> greedy;
    std::vector<float> margins;
};

// Ends the test program if the file cannot be read.
GoldenCase readGolden(const std::string& path);

// RMS of the difference over RMS of the reference; infinite if the sizes differ.
double rmsError(const std::vector<float>& found, const std::vector<float>& expected);

// All ids as one sequence in pages that are neither in order nor from zero, every row with logits.
runtime::ReplicaStep wholePrompt(const std::vector<std::int32_t>& ids, int pageTokens);

}  // namespace fl::test
