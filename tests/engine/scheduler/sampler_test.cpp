// SPDX-License-Identifier: Apache-2.0
#include "engine/scheduler/sampler.h"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace fl::scheduler {

namespace {

using runtime::SampleRequest;

constexpr int kDraws = 20000;

// How often each id comes out.
std::map<std::int32_t, double> frequencies(const std::vector<float>& logits,
                                           SampleRequest request) {
    std::map<std::int32_t, double> found;
    for (int i = 0; i < kDraws; ++i) {
        request.draw = i;
        found[sample(logits, request).id] += 1.0 / kDraws;
    }
    return found;
}

// Five standard deviations of a frequency.
double slack(double probability) {
    return 5 * std::sqrt(probability * (1 - probability) / kDraws) + 1e-9;
}

SampleRequest warm(float temperature) {
    SampleRequest request;
    request.temperature = temperature;
    request.seed = 11;
    return request;
}

// log 8, log 4, log 2, log 1 in mixed order: probabilities 8/15 … 1/15.
const std::vector<float> kLogits = {std::log(2.0F), std::log(8.0F), std::log(1.0F), std::log(4.0F)};

}  // namespace

TEST(Sampler, GreedyTakesTheLargestAndOfEqualsTheLowestId) {
    EXPECT_EQ(sample(kLogits, {}).id, 1);
    EXPECT_EQ(sample(std::vector<float>{1, 3, 3, 2}, {}).id, 1);
}

TEST(Sampler, FrequenciesAreTheModelsProbabilities) {
    const auto found = frequencies(kLogits, warm(1));
    const double expected[] = {2.0 / 15, 8.0 / 15, 1.0 / 15, 4.0 / 15};
    for (std::int32_t id = 0; id < 4; ++id)
        EXPECT_NEAR(found.at(id), expected[id], slack(expected[id])) << id;
}

TEST(Sampler, TemperatureSharpens) {
    const auto found = frequencies(kLogits, warm(0.5F));  // squares: 4, 64, 1, 16 of 85
    EXPECT_NEAR(found.at(1), 64.0 / 85, slack(64.0 / 85));
    EXPECT_NEAR(found.at(2), 1.0 / 85, slack(1.0 / 85));
}

TEST(Sampler, TopKKeepsTheKLargest) {
    auto request = warm(1);
    request.topK = 2;
    const auto found = frequencies(kLogits, request);
    EXPECT_EQ(found.size(), 2U);
    EXPECT_NEAR(found.at(1), 8.0 / 12, slack(8.0 / 12));
    EXPECT_NEAR(found.at(3), 4.0 / 12, slack(4.0 / 12));
}

TEST(Sampler, TopPKeepsTheSmallestSetThatReachesIt) {
    auto request = warm(1);
    request.topP = 0.75F;  // 8/15 < 0.75 ≤ 12/15
    const auto found = frequencies(kLogits, request);
    EXPECT_EQ(found.size(), 2U);
    request.topP = 0.5F;
    EXPECT_EQ(frequencies(kLogits, request).size(), 1U);
}

TEST(Sampler, MinPDropsWhatIsFarBelowTheBest) {
    auto request = warm(1);
    request.minP = 0.2F;  // of 8/15: keeps 8, 4 and 2
    const auto found = frequencies(kLogits, request);
    EXPECT_EQ(found.size(), 3U);
    EXPECT_FALSE(found.contains(2));
}

TEST(Sampler, SameSeedAndDrawGiveTheSameToken) {
    std::mt19937 random(1);
    std::vector<float> logits(1000);
    for (float& logit : logits)
        logit = static_cast<float>(random() % 100) / 50.0F;
    auto request = warm(1);
    std::set<std::int32_t> ids;
    for (request.draw = 0; request.draw < 50; ++request.draw) {
        ids.insert(sample(logits, request).id);
        EXPECT_EQ(sample(logits, request), sample(logits, request));
    }
    EXPECT_GT(ids.size(), 30U);
}

TEST(Sampler, LogprobsAreThoseOfTheModel) {
    auto request = warm(0.01F);
    request.alternatives = 5;
    const auto sampled = sample(kLogits, request);
    EXPECT_EQ(sampled.id, 1);
    EXPECT_NEAR(sampled.logprob, std::log(8.0 / 15), 1e-6);
    EXPECT_EQ(sampled.alternatives, (std::vector<std::int32_t>{1, 3, 0, 2}));
    EXPECT_NEAR(sampled.alternativeLogprobs[3], std::log(1.0 / 15), 1e-6);
}

TEST(Sampler, NoNumberIsNoToken) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    for (const auto& logits :
         {std::vector<float>{1, nan, 2}, std::vector<float>{1, infinity, 2},
          std::vector<float>{-infinity, -infinity}, std::vector<float>{nan, nan}}) {
        EXPECT_FALSE(sample(logits, {}).finite);
        EXPECT_FALSE(sample(logits, warm(1)).finite);
    }
    EXPECT_EQ(sample(std::vector<float>{-infinity, 0.5F}, warm(1)).id, 1);
}

TEST(Uniform, FillsTheUnitIntervalEvenly) {
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double value = uniform(99, i);
        ASSERT_GE(value, 0);
        ASSERT_LT(value, 1);
        sum += value;
    }
    EXPECT_NEAR(sum / kDraws, 0.5, 0.01);
    EXPECT_NE(uniform(1, 0), uniform(2, 0));
}

}  // namespace fl::scheduler
