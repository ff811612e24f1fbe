// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/ops/sparse_index.cpp engine/graph/ops/compress.cpp
// Covers: engine/graph/ops/pool_attention.cpp engine/graph/ops/pool_cache.cpp
// Covers: engine/graph/ops/grouped_linear.cpp engine/graph/ops/hyper_collapse.cpp
// Covers: engine/graph/ops/hyper_expand.cpp engine/graph/ops/repeat_streams.cpp
// DeepSeek-V4-Pro's and GLM-5's published sizes.
#include <gtest/gtest.h>

#include "tests/support/one_node.h"

namespace fl::graph {

using test::OneNode;

static OneNode index(std::int64_t heads, std::int64_t topK, std::int64_t ratio) {
    OneNode op("sparse_index");
    op.input(heads * 128).input(128).input(heads).output(topK, DType::I32);
    op.set("heads", heads).set("dim", std::int64_t{128}).set("top_k", topK).set("ratio", ratio);
    return op.state(State::Kind::Paged, 128 / ratio);
}

TEST(SparseIndex, KeepsAKeyForEveryTokenOrBlock) {
    EXPECT_EQ(index(32, 2048, 1).problem(), "");
    // GLM-5: 78 layers in bf16 are 19,968 bytes for each token.
    OneNode glm = index(32, 2048, 1);
    EXPECT_EQ(78 * glm.def().stateElements(glm.node()) * 2, 19'968);
    EXPECT_EQ(index(64, 1024, 4).problem(), "");
    EXPECT_NE(index(32, 2048, 1).set("dim", std::int64_t{64}).problem(), "");
}

TEST(SparseIndex, ScoresEveryKeyWithEveryHead) {
    EXPECT_DOUBLE_EQ(index(32, 2048, 1).flops(2, 1000), 2.0 * 1000 * 32 * (2 * 128 + 2));
    EXPECT_DOUBLE_EQ(index(64, 1024, 4).flops(1, 1000), 250.0 * 64 * (2 * 128 + 2));
}

static OneNode compressor(std::int64_t ratio, std::int64_t overlap) {
    const std::int64_t wide = 512 * (1 + overlap);
    OneNode op("compress");
    op.input(wide).input(wide).output(512).weight({ratio, wide}).weight({512});
    op.set("ratio", ratio).set("width", std::int64_t{512}).set("overlap", overlap);
    op.set("epsilon", 1e-6);
    return op.state(State::Kind::Fixed, 2 * wide * ratio * (1 + overlap));
}

TEST(Compress, WaitsForAFullBlock) {
    EXPECT_EQ(compressor(128, 0).problem(), "");
    EXPECT_EQ(compressor(4, 1).problem(), "");
    EXPECT_NE(compressor(1, 0).problem(), "");
    EXPECT_DOUBLE_EQ(compressor(128, 0).flops(1, 0), 8.0 * 512 + 4.0 * 512 / 128);
}

TEST(PoolCache, KeepsOneRowForSoManyTokens) {
    OneNode op("pool_cache");
    op.input(512).output(512).set("ratio", std::int64_t{128}).set("width", std::int64_t{512});
    EXPECT_EQ(op.state(State::Kind::Paged, 4).problem(), "");
    OneNode odd("pool_cache");
    odd.input(512).output(512).set("ratio", std::int64_t{100}).set("width", std::int64_t{512});
    EXPECT_EQ(odd.state(State::Kind::Paged, 6).problem(), "");  // rounded up
}

static OneNode attention(std::int64_t ratio, std::int64_t topK) {
    OneNode op("pool_attention");
    op.input(128 * 512).input(512);
    if (ratio > 0)
        op.input(512);
    if (topK > 0)
        op.input(topK, DType::I32);
    op.output(128 * 512).weight({128}, Split::Head).set("heads", std::int64_t{128});
    op.set("head_dim", std::int64_t{512}).set("window", std::int64_t{128}).set("ratio", ratio);
    op.set("top_k", topK).set("scale", 0.04);
    return op.state(State::Kind::Paged, 512);
}

TEST(PoolAttention, LooksAtItsWindowAndAtBlocks) {
    EXPECT_EQ(attention(0, 0).problem(), "");
    EXPECT_EQ(attention(128, 0).problem(), "");
    EXPECT_EQ(attention(4, 1024).problem(), "");
    const double each = 4.0 * 128 * 512;
    EXPECT_DOUBLE_EQ(attention(0, 0).flops(1, 65'536), each * 128);
    EXPECT_DOUBLE_EQ(attention(128, 0).flops(1, 65'536), each * (128 + 512));
    EXPECT_DOUBLE_EQ(attention(4, 1024).flops(1, 65'536), each * (128 + 1024));
    EXPECT_DOUBLE_EQ(attention(4, 1024).flops(1, 100), each * (100 + 25));
}

TEST(PoolAttention, IsCutByHeadsAndSharesTheKeys) {
    const OneNode op = attention(128, 0);
    EXPECT_EQ(*op.placed({Placed::Sharded, Placed::Whole, Placed::Whole}), Placed::Sharded);
    EXPECT_FALSE(op.placed({Placed::Whole, Placed::Sharded, Placed::Whole}));
}

TEST(GroupedLinear, MultipliesEveryGroupWithItsOwnMatrix) {
    OneNode op("grouped_linear");
    op.input(128 * 512).output(16 * 1024).weight({16 * 1024, 128 * 512 / 16}, Split::Head);
    op.set("groups", std::int64_t{16});
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 2.0 * 16 * 1024 * 4096);
    EXPECT_EQ(*op.placed({Placed::Sharded}), Placed::Sharded);
    EXPECT_FALSE(op.placed({Placed::Whole}));
    EXPECT_NE(op.set("groups", std::int64_t{3}).problem(), "");
}

static OneNode collapse(bool last) {
    const std::int64_t mixes = last ? 4 : 24;
    OneNode op("hyper_collapse");
    op.input(4 * 64).output(64);
    if (!last)
        op.output(mixes);
    op.weight({mixes, 4 * 64}).weight({mixes}).weight({last ? 1 : 3});
    op.set("streams", std::int64_t{4}).set("iterations", std::int64_t{20});
    return op.set("final", std::int64_t{last ? 1 : 0}).set("epsilon", 1e-6);
}

TEST(HyperCollapse, HasMixesIntoOutOfAndBetweenStreams) {
    EXPECT_EQ(collapse(false).problem(), "");
    EXPECT_EQ(collapse(true).problem(), "");
    EXPECT_NE(collapse(false).set("streams", std::int64_t{2}).problem(), "");
    EXPECT_DOUBLE_EQ(collapse(false).flops(1, 0), 2.0 * 24 * 256 + 4.0 * 256 + 4.0 * 20 * 16);
}

TEST(HyperExpand, GivesEveryStreamAMixtureOfAll) {
    OneNode op("hyper_expand");
    op.input(256).input(64).input(24).output(256).set("streams", std::int64_t{4});
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 2.0 * 256 * 5);
    OneNode repeat("repeat_streams");
    EXPECT_EQ(repeat.input(64).output(256).set("streams", std::int64_t{4}).problem(), "");
    EXPECT_NE(repeat.set("streams", std::int64_t{3}).problem(), "");
}

}  // namespace fl::graph
