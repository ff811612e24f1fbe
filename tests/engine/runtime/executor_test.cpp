// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/cpu_card.h"
#include "tests/support/naive_decoder.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::runtime {
namespace {

// A dense model with random float32 weights on one card, beside its naive twin.
struct TinyRank {
    explicit TinyRank(const std::string& card_options = "cards=1,memory=256MiB,threads=1")
        : card(test::openCpuCard(card_options)),
          graph(test::tinyGraph(model)) {
        std::mt19937 random(5);
        std::normal_distribution<float> draw(0, 0.3F);
        std::string bytes;
        for (const graph::Weight& weight : graph.weights) {
            std::vector<float>& values = weights[weight.tensor];
            values.resize(static_cast<std::size_t>(*weight.shape.count()));
            for (float& value : values)
                value = weight.shape.rank() == 1 ? 1 + draw(random) : draw(random);
            const auto size = static_cast<std::int64_t>(values.size() * sizeof(float));
            tensors.push_back({{weight.tensor, DType::F32, weight.shape, 0,
                                static_cast<std::int64_t>(bytes.size()), size}});
            bytes.append(reinterpret_cast<const char*>(values.data()),
                         values.size() * sizeof(float));
        }
        shard.path = test::writeTo(folder.path(), "weights.bin", bytes);
        options.maxTokens = 64;
        options.maxSequences = 4;
        options.pagesPerSequence = 8;
        options.pages = 32;
        options.pageTokens = 4;
    }

    Status load() {
        std::vector<plan::Slice> slices(graph.weights.size());
        for (std::size_t i = 0; i < slices.size(); ++i)
            slices[i].weight = static_cast<graph::WeightId>(i);
        FL_TRY(set, load::loadWeights(slices, tensors, {&shard, 1}, card.device, {}));
        return make();
    }
    Status make() {
        FL_TRY(executor, Executor::create(graph, set, card.device, card.stream, {}, options));
        return Done{};
    }

    test::TinyModel model;
    test::CpuCard card;
    graph::Graph graph;
    test::TempDir folder;
    std::map<std::string, std::vector<float>> weights;
    std::vector<std::vector<checkpoint::TensorInfo>> tensors;
    checkpoint::Shard shard;
    load::WeightSet set;
    ExecutorOptions options;
    std::unique_ptr<Executor> executor;
};

// One chunk of one sequence in a step.
struct Chunk {
    std::int32_t first = 0;  // position
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> pages;
};

ReplicaStep stepOf(const std::vector<Chunk>& chunks) {
    ReplicaStep step;
    step.pageTableStride = 8;
    for (const Chunk& chunk : chunks) {
        const auto row = static_cast<std::int32_t>(step.pageTables.size()) / 8;
        step.pageTables.insert(step.pageTables.end(), chunk.pages.begin(), chunk.pages.end());
        step.pageTables.resize(static_cast<std::size_t>(8 * (row + 1)), 0);
        for (std::size_t i = 0; i < chunk.ids.size(); ++i) {
            step.ids.push_back(chunk.ids[i]);
            step.positions.push_back(chunk.first + static_cast<std::int32_t>(i));
            step.rowSequences.push_back(row);
        }
        step.logitRows.push_back(static_cast<std::int32_t>(step.ids.size()) - 1);
    }
    return step;
}

void expectRow(const std::vector<float>& logits,
               std::size_t row,
               const std::vector<double>& naive) {
    double worst = 0;
    for (std::size_t i = 0; i < naive.size(); ++i) {
        const double found = logits.at(row * naive.size() + i);
        worst = std::max(worst, std::abs(found - naive[i]) / (1 + std::abs(naive[i])));
    }
    EXPECT_LT(worst, 1e-4) << "row " << row;
}

}  // namespace

// Two sequences in pages out of order: one prefilled in two chunks beside the other's decoding.
TEST(Executor, MixedStepsGiveWhatTheDefinitionGives) {
    TinyRank rank;
    const Status loaded = rank.load();
    ASSERT_TRUE(loaded) << loaded.error().message;
    test::NaiveDecoder one(rank.model, rank.weights);
    test::NaiveDecoder other(rank.model, rank.weights);
    const std::vector<std::int32_t> pagesOfOne = {7, 3, 12};
    const std::vector<std::int32_t> pagesOfOther = {0, 9};

    ASSERT_TRUE(rank.executor->run(
        stepOf({{0, {5, 6, 7}, pagesOfOther}, {0, {100, 101, 102, 103, 104}, pagesOfOne}}), {}));
    auto logits = *rank.executor->logits();
    std::vector<double> naive;
    for (const std::int32_t id : {5, 6, 7})
        naive = other.next(id);
    expectRow(logits, 0, naive);
    for (const std::int32_t id : {100, 101, 102, 103, 104})
        naive = one.next(id);
    expectRow(logits, 1, naive);

    ASSERT_TRUE(rank.executor->run(
        stepOf({{5, {105, 106, 107, 108}, pagesOfOne}, {3, {8}, pagesOfOther}}), {}));
    logits = *rank.executor->logits();
    for (const std::int32_t id : {105, 106, 107, 108})
        naive = one.next(id);
    expectRow(logits, 0, naive);
    expectRow(logits, 1, other.next(8));
}

TEST(Executor, CaptureKeepsEveryTapAndChangesNothingElse) {
    TinyRank rank;
    for (graph::Value& value : rank.graph.values) {
        if (value.name.ends_with(".attn") || value.name.ends_with(".mlp"))
            value.tap = value.name;
    }
    ASSERT_TRUE(rank.load());
    const ReplicaStep step = stepOf({{0, {1, 2, 3}, {4}}});
    ASSERT_TRUE(rank.executor->run(step, {}));
    const auto before = *rank.executor->logits();
    const auto captured = rank.executor->capture(step, {});
    ASSERT_TRUE(captured) << captured.error().message;
    ASSERT_EQ(captured->size(), 4U);
    for (const CapturedValue& value : *captured) {
        EXPECT_EQ(value.rows, 3);
        EXPECT_EQ(value.values.size(), static_cast<std::size_t>(3 * rank.model.hidden));
    }
    ASSERT_TRUE(rank.executor->run(step, {}));
    EXPECT_EQ(*rank.executor->logits(), before);
}

TEST(Executor, EmptyStepDoesNothing) {
    TinyRank rank;
    ASSERT_TRUE(rank.load());
    EXPECT_TRUE(rank.executor->run({}, {}));
    EXPECT_TRUE(rank.executor->logits()->empty());
}

TEST(Executor, RefusesAStepLargerThanPlanned) {
    TinyRank rank;
    ASSERT_TRUE(rank.load());
    const Status run = rank.executor->run(stepOf({{0, std::vector<std::int32_t>(65, 1), {1}}}), {});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().message, "step of 65 tokens in 1 sequences, at most 64 in 4 are planned");
}

TEST(Executor, CacheThatDoesNotFitIsRefusedByName) {
    TinyRank rank;
    rank.options.pages = 1 << 20;
    const Status loaded = rank.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(loaded.error().message.find("kv: CPU card 0: "), 0U) << loaded.error().message;
}

TEST(Executor, MissingKernelIsNamedWithItsPlace) {
    TinyRank rank;
    rank.options.kv = DType::F16;
    const Status loaded = rank.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(loaded.error().message.find("layer.0.attn attention: "), 0U)
        << loaded.error().message;
}

TEST(Executor, CollectiveWithoutItsGroupIsABugThatIsCaught) {
    TinyRank rank;
    graph::Node node;
    node.op = "all_reduce";
    node.site = "head";
    node.set("group", std::string("tp"));
    node.inputs = {rank.graph.output};
    node.outputs = {rank.graph.output};
    rank.graph.nodes.push_back(node);
    const Status loaded = rank.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message, "head all_reduce: this rank has no group tp");
}

TEST(Executor, MemoryIsAccountedByWhatItHolds) {
    TinyRank rank;
    ASSERT_TRUE(rank.load());
    const auto usage = rank.card.device.usage();
    // Two layers of 32 pages of 4 tokens, keys and values of two heads of 16 floats.
    EXPECT_EQ(usage->by_category[FL_MEMORY_KV], 2 * 32 * 4 * 2 * 2 * 16 * 4);
    EXPECT_EQ(usage->by_category[FL_MEMORY_WEIGHTS], rank.set.memory.bytes());
}

}  // namespace fl::runtime
