// SPDX-License-Identifier: Apache-2.0
// What all ranks do next: composed by rank 0, sent to everybody as a few bytes per token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::runtime {

// How to choose one token.
struct SampleRequest {
    float temperature = 0;  // 0: the largest logit
    std::int32_t topK = 0;  // 0: all
    float topP = 1;
    float minP = 0;
    std::uint64_t seed = 0;
    std::int64_t draw = 0;          // which draw of its request: the seed's counter
    std::int32_t alternatives = 0;  // to report, at most kMaxAlternatives
    bool operator==(const SampleRequest&) const = default;
};
constexpr std::int32_t kMaxAlternatives = 5;

// One replica's flat ragged batch: prefill chunks and decode tokens in any mixture.
struct ReplicaStep {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> positions;
    std::vector<std::int32_t> rowSequences;  // of each token: row of pageTables
    std::vector<std::int32_t> pageTables;    // [sequences, pageTableStride]
    std::int32_t pageTableStride = 0;
    std::vector<std::int32_t> logitRows;  // tokens whose logits are wanted
    std::vector<SampleRequest> samples;   // one per logit row, or none: logits stay unsampled
    bool operator==(const ReplicaStep&) const = default;

    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
};

struct Step {
    std::int64_t number = 0;
    std::vector<ReplicaStep> replicas;  // one each, empty where there is nothing to do
    bool operator==(const Step&) const = default;
};

// What a SampleRequest got.
struct Sampled {
    std::int32_t id = -1;
    float logprob = 0;
    bool finite = true;  // false: the logits were not numbers, and id means nothing
    std::vector<std::int32_t> alternatives;  // best first
    std::vector<float> alternativeLogprobs;
    bool operator==(const Sampled&) const = default;
};

// Little-endian bytes; decoding is strict, because the bytes come from another process.
std::string encode(const Step& step);
Result<Step> decodeStep(std::string_view bytes);
std::string encode(const std::vector<Sampled>& samples);
Result<std::vector<Sampled>> decodeSamples(std::string_view bytes);

}  // namespace fl::runtime
