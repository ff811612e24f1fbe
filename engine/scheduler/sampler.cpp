// SPDX-License-Identifier: Apache-2.0
#include "engine/scheduler/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace fl::scheduler {

namespace {

using runtime::Sampled;
using runtime::SampleRequest;

// One id with its logit; the order in which candidates are considered.
struct Candidate {
    std::int32_t id = 0;
    double value = 0;  // logit, later a weight
};

bool better(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.id < b.id);
}

// log of the sum of exponentials; NaN if any logit is NaN or +∞, or all are −∞.
double logSum(std::span<const float> logits) {
    float largest = -INFINITY;
    for (const float logit : logits)
        largest = std::max(largest, logit);
    if (!std::isfinite(largest))
        return NAN;
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit) - largest);
    return largest + std::log(sum);
}

std::vector<Candidate> allCandidates(std::span<const float> logits) {
    std::vector<Candidate> all(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        all[i] = {static_cast<std::int32_t>(i), static_cast<double>(logits[i])};
    return all;
}

std::vector<Candidate> best(std::span<const float> logits, std::size_t count) {
    std::vector<Candidate> all = allCandidates(logits);
    count = std::min(count, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      better);
    all.resize(count);
    return all;
}

// Logits to weights relative to the best one.
void toWeights(std::vector<Candidate>& candidates, double temperature) {
    double largest = -INFINITY;
    for (const Candidate& candidate : candidates)
        largest = std::max(largest, candidate.value);
    for (Candidate& candidate : candidates)
        candidate.value = std::exp((candidate.value - largest) / temperature);
}

double sumOf(const std::vector<Candidate>& candidates) {
    return std::accumulate(candidates.begin(), candidates.end(), 0.0,
                           [](double sum, const Candidate& one) { return sum + one.value; });
}

// Precondition: sorted, best first.
void keepTopP(std::vector<Candidate>& candidates, double topP) {
    const double wanted = topP * sumOf(candidates);
    double sum = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        sum += candidates[i].value;
        if (sum >= wanted) {
            candidates.resize(i + 1);
            return;
        }
    }
}

std::int32_t draw(std::span<const float> logits, const SampleRequest& request) {
    const auto vocabulary = logits.size();
    const bool filtered = request.topK > 0 || request.topP < 1;
    const std::size_t kept = request.topK > 0 ? static_cast<std::size_t>(request.topK) : vocabulary;
    std::vector<Candidate> candidates = filtered ? best(logits, kept) : allCandidates(logits);
    toWeights(candidates, request.temperature);
    if (request.topP < 1)
        keepTopP(candidates, request.topP);
    // The best weight is 1.
    std::erase_if(candidates, [&](const Candidate& one) { return one.value < request.minP; });
    double left = uniform(request.seed, request.draw) * sumOf(candidates);
    for (const Candidate& candidate : candidates) {
        left -= candidate.value;
        if (left < 0)
            return candidate.id;
    }
    // Rounding may leave a crumb: the last one that has any weight.
    const auto last = std::find_if(candidates.rbegin(), candidates.rend(),
                                   [](const Candidate& one) { return one.value > 0; });
    return last->id;
}

// SplitMix64 (Steele, Lea & Flood 2014).
std::uint64_t mix(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

}  // namespace

double uniform(std::uint64_t seed, std::int64_t draw) {
    const std::uint64_t bits = mix(mix(seed) ^ static_cast<std::uint64_t>(draw));
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

Sampled sample(std::span<const float> logits, const SampleRequest& request) {
    Sampled sampled;
    const double total = logSum(logits);
    const bool nan = std::ranges::any_of(logits, [](float logit) { return std::isnan(logit); });
    if (nan || std::isnan(total)) {
        sampled.finite = false;
        return sampled;
    }
    if (request.temperature > 0)
        sampled.id = draw(logits, request);
    else
        sampled.id = static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
    sampled.logprob = static_cast<float>(logits[static_cast<std::size_t>(sampled.id)] - total);
    const int wanted = std::clamp(request.alternatives, 0, runtime::kMaxAlternatives);
    if (wanted == 0)
        return sampled;
    for (const Candidate& one : best(logits, static_cast<std::size_t>(wanted))) {
        sampled.alternatives.push_back(one.id);
        sampled.alternativeLogprobs.push_back(static_cast<float>(one.value - total));
    }
    return sampled;
}

}  // namespace fl::scheduler
