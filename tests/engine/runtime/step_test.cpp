// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/step.h"

#include <gtest/gtest.h>

namespace fl::runtime {

namespace {

Step someStep() {
    ReplicaStep replica;
    replica.ids = {5, 6, 7};
    replica.positions = {0, 1, 9};
    replica.rowSequences = {0, 0, 1};
    replica.pageTables = {3, 0, 4, 5};
    replica.pageTableStride = 2;
    replica.logitRows = {2};
    replica.samples = {{0.7F, 40, 0.9F, 0.05F, 123456789012345ULL, 17, 5}};
    return {42, {replica, {}}};
}

}  // namespace

TEST(Step, ComesBackAsItWas) {
    const Step step = someStep();
    const auto decoded = decodeStep(encode(step));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, step);
}

TEST(Step, CostsAFewBytesPerToken) {
    Step step{1, {{}}};
    const std::size_t empty = encode(step).size();
    step.replicas[0].ids.assign(100, 1);
    step.replicas[0].positions.assign(100, 1);
    step.replicas[0].rowSequences.assign(100, 1);
    EXPECT_EQ(encode(step).size() - empty, 1200U);
}

TEST(Step, TornMessagesAreErrors) {
    const std::string bytes = encode(someStep());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decodeStep(std::string_view(bytes).substr(0, length))) << length;
    EXPECT_FALSE(decodeStep(bytes + "x"));
    EXPECT_FALSE(decodeStep(std::string(64, '\xFF')));
}

TEST(Samples, ComeBackAsTheyWere) {
    const std::vector<Sampled> samples = {{7, -0.25F, true, {7, 9}, {-0.25F, -1.5F}},
                                          {-1, 0, false, {}, {}}};
    const auto decoded = decodeSamples(encode(samples));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, samples);
    EXPECT_FALSE(decodeSamples(encode(samples) + "x"));
}

}  // namespace fl::runtime
