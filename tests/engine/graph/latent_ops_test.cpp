// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/ops/columns.cpp engine/graph/ops/mla_attention.cpp
// Covers: engine/graph/ops/router_select.cpp
// Expected numbers are counted by hand from the formulas of the papers, for DeepSeek-V3's sizes.
#include <gtest/gtest.h>

#include "tests/support/one_node.h"

namespace fl::graph {

using test::OneNode;

static OneNode mla(std::int64_t topK) {
    OneNode op("mla_attention");
    op.input(128 * 192).input(512).input(64).output(128 * 128).weight({128 * 256, 512},
                                                                      Split::Head);
    if (topK > 0)
        op.input(topK, DType::I32);
    op.set("heads", std::int64_t{128}).set("nope", std::int64_t{128}).set("rope", std::int64_t{64});
    op.set("value", std::int64_t{128}).set("latent", std::int64_t{512}).set("scale", 0.1);
    op.set("top_k", topK).state(State::Kind::Paged, 576);
    return op;
}

TEST(MlaAttention, KeepsOneLatentRowPerToken) {
    OneNode op = mla(0);
    EXPECT_EQ(op.problem(), "");
    EXPECT_EQ(op.def().stateElements(op.node()), 576);
    op.graph.states[0].elements = 512;
    EXPECT_EQ(op.problem(),
              "mla_attention (test of layer 0): expected a paged state of 576 elements, found 512");
}

// Per head and row: 512·128 into the latent, 1000·576 scores, 1000·512 sums, 512·128 out of it.
TEST(MlaAttention, CostsWhatTheAbsorbedFormMultiplies) {
    EXPECT_DOUBLE_EQ(mla(0).flops(3, 1000), 3.0 * 128 * 2 * (65'536 + 576'000 + 512'000 + 65'536));
    EXPECT_DOUBLE_EQ(mla(200).flops(1, 1000), 128.0 * 2 * (65'536 + 200 * 1088 + 65'536));
    EXPECT_DOUBLE_EQ(mla(200).flops(1, 50), mla(0).flops(1, 50));
}

TEST(MlaAttention, IsCutByHeadsAndSharesTheLatent) {
    const OneNode op = mla(0);
    EXPECT_EQ(*op.placed({Placed::Sharded, Placed::Whole, Placed::Whole}), Placed::Sharded);
    EXPECT_FALSE(op.placed({Placed::Sharded, Placed::Sharded, Placed::Whole}));
    OneNode local = mla(0);
    local.def().localise(local.node(), 8);
    EXPECT_EQ(local.node().integer("heads"), 16);
}

TEST(MlaAttention, TakesTheUpProjectionInTwoHalves) {
    OneNode op = mla(0);
    op.graph.weights.clear();
    op.node().weights.clear();
    op.weight({128, 512, 128}, Split::Head).weight({128, 128, 512}, Split::Head);
    EXPECT_EQ(op.problem(), "");
    op.graph.weights[1].shape = {128, 512, 128};
    EXPECT_EQ(op.problem(),
              "mla_attention (test of layer 0): expected shape [128, 128, 512] for "
              "w1, found [128, 512, 128]");
}

TEST(Columns, TakesTheSameColumnsOfEveryGroup) {
    OneNode op("columns");
    op.input(32 * 512).output(32 * 256).set("groups", std::int64_t{32});
    op.set("begin", std::int64_t{256}).set("end", std::int64_t{512}).set("cut", std::int64_t{0});
    EXPECT_EQ(op.problem(), "");
    EXPECT_EQ(*op.placed({Placed::Sharded}), Placed::Sharded);
    op.set("end", std::int64_t{513});
    EXPECT_NE(op.problem(), "");
    op.set("groups", std::int64_t{1});
    EXPECT_FALSE(op.placed({Placed::Sharded}));
}

static OneNode router(const std::string& choice) {
    OneNode op("router_select");
    op.input(256).output(8, DType::I32).output(8).set("choice", choice).set("score", "sigmoid");
    op.set("experts", std::int64_t{256}).set("k", std::int64_t{8}).set("groups", std::int64_t{8});
    op.set("top_groups", std::int64_t{4}).set("normalise", std::int64_t{1}).set("scale", 2.5);
    return op;
}

TEST(RouterSelect, HasABiasOrATableOrNeither) {
    EXPECT_EQ(router("score").problem(), "");
    EXPECT_EQ(router("bias").weight({256}).problem(), "");
    EXPECT_EQ(router("token").weight({1000, 8}).problem(), "");
    EXPECT_NE(router("bias").weight({255}).problem(), "");
    EXPECT_EQ(router("lot").problem(),
              "router_select (test of layer 0): expected attribute choice "
              "to be one of score, bias, token, found lot");
    EXPECT_EQ(*router("score").placed({Placed::Whole}), Placed::Whole);
    EXPECT_FALSE(router("score").placed({Placed::Sharded}));
}

TEST(RouterSelect, RefusesGroupsThatCannotGiveEnoughExperts) {
    EXPECT_NE(router("score").set("groups", std::int64_t{7}).problem(), "");
    EXPECT_NE(router("score").set("top_groups", std::int64_t{9}).problem(), "");
    OneNode narrow = router("score").set("groups", std::int64_t{64});
    EXPECT_NE(narrow.set("top_groups", std::int64_t{1}).problem(), "");  // 4 experts, 8 wanted
}

}  // namespace fl::graph
