// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/ops/delta_rule.cpp engine/graph/ops/short_convolution.cpp
// Covers: engine/graph/ops/gated_norm.cpp engine/graph/ops/residual_attention.cpp
// Kimi K3's and Qwen3.5's published sizes; states as those models' papers count them.
#include <gtest/gtest.h>

#include "tests/support/one_node.h"

namespace fl::graph {

using test::OneNode;

static OneNode delta(std::int64_t keyHeads, std::int64_t valueHeads, const std::string& decay) {
    const std::int64_t dim = 128;
    OneNode op("delta_rule");
    op.input(keyHeads * dim).input(keyHeads * dim).input(valueHeads * dim);
    op.input(decay == "channel" ? valueHeads * dim : valueHeads).input(valueHeads);
    op.output(valueHeads * dim).weight({128}).weight({valueHeads * dim}, Split::Head);
    op.set("key_heads", keyHeads).set("value_heads", valueHeads).set("key_dim", dim);
    op.set("value_dim", dim).set("decay", decay).set("bound", -5.0);
    return op.state(State::Kind::Fixed, valueHeads * dim * dim);
}

TEST(DeltaRule, KeepsAMatrixForEveryValueHead) {
    OneNode kimi = delta(96, 96, "channel");
    EXPECT_EQ(kimi.problem(), "");
    // 69 such layers in float32: 434 MB for each sequence.
    EXPECT_EQ(69 * kimi.def().stateElements(kimi.node()) * 4, 434'110'464);
    OneNode qwen = delta(16, 64, "head");
    EXPECT_EQ(qwen.problem(), "");
    EXPECT_EQ(qwen.def().stateElements(qwen.node()), 64 * 128 * 128);
}

TEST(DeltaRule, CostsSevenOperationsForEachElementOfTheState) {
    EXPECT_DOUBLE_EQ(delta(16, 64, "head").flops(5, 1e6), 5.0 * 7 * 64 * 128 * 128);
}

TEST(DeltaRule, IsCutByHeads) {
    OneNode op = delta(16, 64, "head");
    EXPECT_EQ(*op.placed(std::vector<Placed>(5, Placed::Sharded)), Placed::Sharded);
    EXPECT_FALSE(op.placed(
        {Placed::Sharded, Placed::Sharded, Placed::Whole, Placed::Sharded, Placed::Sharded}));
    op.def().localise(op.node(), 8);
    EXPECT_EQ(op.node().integer("key_heads"), 2);
    EXPECT_EQ(op.def().stateElements(op.node()), 8 * 128 * 128);
}

TEST(DeltaRule, RefusesHeadsThatDoNotShareEvenly) {
    EXPECT_NE(delta(16, 60, "head").problem(), "");
    EXPECT_NE(delta(16, 64, "row").problem(), "");
    EXPECT_NE(delta(16, 64, "head").state(State::Kind::Paged, 64 * 128 * 128).problem(), "");
}

static OneNode convolution(Split split) {
    OneNode op("short_convolution");
    op.input(12'288).output(12'288).weight({12'288, 1, 4}, split);
    op.set("taps", std::int64_t{4}).set("width", std::int64_t{12'288});
    return op.state(State::Kind::Fixed, 3 * 12'288);
}

TEST(ShortConvolution, KeepsTheRowsThatTheNextTokenStillSees) {
    OneNode op = convolution(Split::Head);
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(2, 0), 2.0 * 12'288 * (2 * 4 + 4));
    op.def().localise(op.node(), 4);
    EXPECT_EQ(op.def().stateElements(op.node()), 3 * 3072);
}

TEST(ShortConvolution, LiesAsItsWeightIsCut) {
    EXPECT_EQ(*convolution(Split::Head).placed({Placed::Sharded}), Placed::Sharded);
    EXPECT_FALSE(convolution(Split::Head).placed({Placed::Whole}));
    EXPECT_EQ(*convolution(Split::Replicate).placed({Placed::Whole}), Placed::Whole);
}

TEST(GatedNorm, NormsEveryHead) {
    OneNode op("gated_norm");
    op.input(512).input(512).output(512).weight({128}).set("groups", std::int64_t{4});
    op.set("epsilon", 1e-5).set("gate", "sigmoid");
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(3, 0), 3.0 * 9 * 512);
    op.def().localise(op.node(), 4);
    EXPECT_EQ(op.node().integer("groups"), 1);
    EXPECT_NE(op.set("gate", "relu").problem(), "");
}

TEST(ResidualAttention, ReadsEveryBankedRow) {
    OneNode op("residual_attention");
    op.input(64).input(64).input(64).output(64).weight({64}).weight({1, 64}).set("epsilon", 1e-5);
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 3.0 * 8 * 64);
    op.input(32);
    EXPECT_NE(op.problem(), "");
    OneNode none("residual_attention");
    EXPECT_NE(none.output(64).problem(), "");
}

}  // namespace fl::graph
