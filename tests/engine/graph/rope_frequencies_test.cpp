// SPDX-License-Identifier: Apache-2.0
// Expected numbers: transformers 5.24, ROPE_INIT_FUNCTIONS, head_dim 16.
#include "engine/graph/rope_frequencies.h"

#include <gtest/gtest.h>

namespace fl::graph {

static Node ropeNode(const std::string& type, double theta, double factor, double context) {
    Node node;
    node.op = "rope";
    node.set("rotary", std::int64_t{16});
    node.set("type", type);
    node.set("theta", theta);
    node.set("factor", factor);
    node.set("original_context", context);
    return node;
}

static void expectFrequencies(const Node& node, const std::vector<double>& expected) {
    const Status status = checkRope(node);
    ASSERT_TRUE(status) << status.error().message;
    const std::vector<float> found = ropeFrequencies(node);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 2e-6 * expected[i]) << i;
}

TEST(RopeFrequencies, Linear) {
    expectFrequencies(ropeNode("linear", 10000, 4, 0),
                      {0.25, 0.079056941, 0.0250000004, 0.00790569466, 0.00249999994,
                       0.000790569466, 0.000250000012, 7.90569466e-05});
}

TEST(RopeFrequencies, Llama3) {
    Node node = ropeNode("llama3", 10000, 8, 64);
    node.set("low_freq_factor", 1.0);
    node.set("high_freq_factor", 4.0);
    expectFrequencies(node, {1.0, 0.244384587, 0.0130422562, 0.00395284733, 0.00124999997,
                             0.000395284733, 0.000125000006, 3.95284733e-05});
    EXPECT_EQ(ropeAttentionFactor(node), 1.0);
}

TEST(RopeFrequencies, Yarn) {
    const Node node = ropeNode("yarn", 10000, 4, 512);
    expectFrequencies(node, {1.0, 0.25693506, 0.0625, 0.0138349654, 0.00249999994, 0.000790569466,
                             0.000250000012, 7.90569466e-05});
    EXPECT_NEAR(ropeAttentionFactor(node), 1.138629436111989, 1e-12);
}

TEST(RopeFrequencies, YarnWithoutTruncation) {
    Node node = ropeNode("yarn", 150000, 32, 4096);
    node.set("truncate", std::int64_t{0});
    expectFrequencies(node, {1.0, 0.225418001, 0.0508132726, 0.00679495931, 0.000456483918,
                             1.8188337e-05, 4.09997847e-06, 9.24208962e-07});
}

TEST(RopeFrequencies, YarnMagnitudeFromTwoScales) {
    Node node = ropeNode("yarn", 10000, 40, 4096);
    node.set("mscale", 1.0);
    node.set("mscale_all_dim", 0.8);
    EXPECT_NEAR(ropeAttentionFactor(node), 1.0569662567531275, 1e-12);
    node.set("attention_factor", 1.25);
    EXPECT_EQ(ropeAttentionFactor(node), 1.25);
}

TEST(RopeFrequencies, AreDividedByTheirFactors) {
    Node node = ropeNode("linear", 10000, 4, 0);
    node.set("frequency_factors", std::vector<double>{1, 2, 1, 1, 1, 1, 1, 4});
    expectFrequencies(node, {0.25, 0.079056941 / 2, 0.0250000004, 0.00790569466, 0.00249999994,
                             0.000790569466, 0.000250000012, 7.90569466e-05 / 4});
    node.set("frequency_factors", std::vector<double>{1, 2});
    EXPECT_FALSE(checkRope(node));
    node.set("frequency_factors", std::vector<double>(8, 0.0));
    EXPECT_FALSE(checkRope(node));
}

TEST(RopeFrequencies, UnknownTypeListsTheKnownOnes) {
    const Status status = checkRope(ropeNode("longrope", 10000, 4, 512));
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("'longrope', known are: default, linear, llama3, yarn"),
              std::string::npos)
        << status.error().message;
}

TEST(RopeFrequencies, RefusesWhatWouldDivideByZero) {
    EXPECT_FALSE(checkRope(ropeNode("linear", 10000, 0, 512)));
    EXPECT_FALSE(checkRope(ropeNode("yarn", 0, 4, 512)));
    EXPECT_FALSE(checkRope(ropeNode("yarn", 10000, 4, 0)));
}

}  // namespace fl::graph
