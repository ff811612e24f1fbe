// SPDX-License-Identifier: Apache-2.0
// Covers: engine/plan/stages.cpp
#include "engine/plan/partition.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "engine/plan/stages.h"
#include "tests/support/tiny_graph.h"

namespace fl::plan {

TEST(Cut, IsUnevenInWholeUnits) {
    EXPECT_EQ(cut(10, 1, 3, 0).end, 4);
    EXPECT_EQ(cut(10, 1, 3, 1).end, 7);
    EXPECT_EQ(cut(10, 1, 3, 2).end, 10);
    EXPECT_EQ(cut(96, 32, 2, 0).end, 64);
    EXPECT_EQ(cut(96, 32, 2, 1).end, 96);
}

// How often each element of each weight is held by the ranks of one replica (of one expert group
// where experts span replicas).
static void expectCovered(const graph::Graph& model,
                          const std::vector<StoredWeight>& stored,
                          const Plan& plan) {
    std::map<std::pair<graph::WeightId, int>, std::map<std::pair<std::int64_t, std::int64_t>, int>>
        held;
    const int replicas = expertReplicas(plan.mesh);
    const int ranks = replicas * plan.mesh.pp * plan.mesh.tp;
    for (int rank = 0; rank < ranks; ++rank) {
        for (const Slice& slice : slicesOf(model, stored, plan, rank)) {
            const auto& weight = model.weights[static_cast<std::size_t>(slice.weight)];
            // A weight outside expert families is whole in every replica: look at the first.
            if (weight.experts == 0 && coordinates(plan.mesh, rank).dp > 0)
                continue;
            const std::int64_t size = slice.axis < 0 ? 1 : weight.shape[slice.axis];
            const std::int64_t begin = slice.axis < 0 ? 0 : slice.begin;
            const std::int64_t end = slice.axis < 0 ? size : slice.end;
            const int first = weight.experts == 0 ? 0 : slice.firstExpert;
            const int count = weight.experts == 0 ? 1 : slice.expertCount;
            EXPECT_LT(begin, end) << weight.tensor;
            for (int expert = first; expert < first + count; ++expert)
                ++held[{slice.weight, expert}][{begin, end}];
        }
    }
    for (std::size_t id = 0; id < model.weights.size(); ++id) {
        const auto& weight = model.weights[id];
        for (int expert = 0; expert < weight.parts(); ++expert) {
            const auto& ranges = held[{static_cast<graph::WeightId>(id), expert}];
            std::int64_t next = 0;
            int times = -1;
            for (const auto& [range, count] : ranges) {
                EXPECT_EQ(range.first, next) << weight.tensor << " in " << text(plan.mesh);
                next = range.second;
                EXPECT_TRUE(times == -1 || times == count) << weight.tensor;
                times = count;
            }
            const bool whole = ranges.size() == 1;
            const bool cutRows = !whole;
            if (cutRows) {
                const bool byRow =
                    weight.split == graph::Split::Row || weight.expertSplit == graph::Split::Row;
                EXPECT_EQ(next, weight.shape[byRow ? weight.shape.rank() - 1 : 0]) << weight.tensor;
            }
            const bool tied = id == 0 && plan.mesh.pp > 1;
            if (weight.experts > 0 || cutRows) {
                const bool shared = weight.shareable && weight.heads < plan.mesh.tp;
                const std::int64_t expected =
                    shared ? plan.mesh.tp / weight.heads : (tied && times == 2 ? 2 : 1);
                EXPECT_EQ(times, expected) << weight.tensor << " in " << text(plan.mesh);
            }
        }
    }
}

TEST(Partition, CoversEveryWeightOnceOnRandomModelsAndMeshes) {
    std::mt19937 random(7);
    const auto pick = [&](std::initializer_list<int> from) {
        return *(from.begin() + static_cast<std::ptrdiff_t>(random() % from.size()));
    };
    for (int round = 0; round < 60; ++round) {
        const int tp = pick({1, 2, 3, 4});
        const int kv = pick({1, tp, 2 * tp});
        const bool sparse = pick({0, 1}) == 1;
        Mesh mesh{.dp = 1, .pp = pick({1, 2, 3}), .tp = tp, .ep = 1};
        if (sparse)
            mesh.ep = pick({1, tp, 2 * tp});
        if (mesh.ep > tp)
            mesh.dp = 2;
        test::TinyModel shape;
        shape.layers = pick({3, 4, 5});
        shape.heads = kv == 1 ? 12 : 2 * kv;
        shape.kvHeads = kv;
        shape.inner = pick({128, 160, 224, 1536});
        shape.experts = sparse ? 24 : 0;
        shape.vocab = pick({512, 509});
        shape.tied = pick({0, 1}) == 1;
        shape.qkNorm = pick({0, 1}) == 1;
        shape.attentionBias = pick({0, 1}) == 1;
        const graph::Graph model = test::tinyGraph(shape);
        const auto stored = test::storedAs(model, pick({0, 1}) == 1 ? DType::Q4_1 : DType::BF16);
        Plan plan;
        plan.mesh = mesh;
        plan.stages = makeStages(model, stored, mesh.pp, {});
        expectCovered(model, stored, plan);
    }
}

TEST(Partition, RowCutsRespectQuantisationBlocks) {
    const graph::Graph model = test::tinyGraph({.layers = 1, .inner = 1536});
    const auto stored = test::storedAs(model, DType::Q4_K);
    const Partition partition(model, stored, {.tp = 4});
    for (std::size_t id = 0; id < model.weights.size(); ++id) {
        const auto& weight = model.weights[id];
        if (weight.kind != graph::WeightKind::DenseMlp)
            continue;
        for (int tp = 0; tp < 4; ++tp) {
            const Slice slice = partition.slice(static_cast<graph::WeightId>(id), {0, 0, tp});
            EXPECT_EQ(slice.begin % 256, 0) << weight.tensor;
            EXPECT_EQ(slice.end % 256, 0) << weight.tensor;
        }
    }
}

TEST(Partition, SliceBytesSumToStoredBytes) {
    const graph::Graph model = test::tinyGraph({.layers = 2, .inner = 1536});
    const auto stored = test::storedAs(model, DType::Q8_0);
    const Partition partition(model, stored, {.tp = 2});
    for (std::size_t id = 0; id < model.weights.size(); ++id) {
        const auto weight = static_cast<graph::WeightId>(id);
        if (partition.replicated(weight))
            continue;
        EXPECT_EQ(
            partition.slice(weight, {0, 0, 0}).bytes + partition.slice(weight, {0, 0, 1}).bytes,
            stored[id].bytesPerTensor)
            << model.weights[id].tensor;
    }
}

TEST(Stages, AreBalancedWithTheEndsCounted) {
    const graph::Graph model = test::tinyGraph({.layers = 30, .vocab = 20000});
    const auto stored = test::storedAs(model, DType::BF16);
    const auto stages = makeStages(model, stored, 4, {});
    ASSERT_EQ(stages.size(), 4U);
    EXPECT_EQ(stages.front().firstLayer, 0);
    EXPECT_EQ(stages.back().endLayer, 30);
    for (std::size_t i = 1; i < stages.size(); ++i)
        EXPECT_EQ(stages[i].firstLayer, stages[i - 1].endLayer);
    // Embedding and head weigh as much as many layers.
    EXPECT_LT(stages[0].endLayer - stages[0].firstLayer, stages[1].endLayer - stages[1].firstLayer);
    EXPECT_TRUE(stages.front().embeds);
    EXPECT_TRUE(stages.back().answers);
    EXPECT_FALSE(stages[1].embeds || stages[1].answers);
}

TEST(Stages, FollowAnOverride) {
    const graph::Graph model = test::tinyGraph({.layers = 5});
    const auto stages = makeStages(model, test::storedAs(model, DType::BF16), 2, {4, 1});
    EXPECT_EQ(stages[0].endLayer, 4);
    EXPECT_EQ(stages[1].firstLayer, 4);
}

TEST(Stages, GiveEveryStageALayer) {
    const graph::Graph model = test::tinyGraph({.layers = 4, .vocab = 50000});
    const auto stages = makeStages(model, test::storedAs(model, DType::BF16), 4, {});
    ASSERT_EQ(stages.size(), 4U);
    for (const Stage& stage : stages)
        EXPECT_EQ(stage.endLayer - stage.firstLayer, 1);
}

// One weight [rows, columns] in a graph of its own, cut over `tp` ranks.
struct Lone {
    graph::Graph graph;
    std::vector<StoredWeight> stored;
    Slice at(int tp, int index) const {
        return Partition(graph, stored, {.dp = 1, .pp = 1, .tp = tp, .ep = 1})
            .slice(0, {0, 0, index});
    }
};

static Lone lone(graph::Split split, std::int64_t rows, std::int64_t columns) {
    Lone out;
    graph::Weight weight;
    weight.tensor = "w";
    weight.shape = {rows, columns};
    weight.split = split;
    out.graph.weights.push_back(weight);
    StoredWeight stored;
    stored.dtype = DType::F8E4M3;
    stored.bytesPerTensor = rows * columns;
    stored.scaleBytesPerTensor = (rows + 127) / 128 * ((columns + 127) / 128) * 4;
    stored.blockRows = 128;
    stored.blockColumns = 128;
    out.stored.push_back(stored);
    return out;
}

TEST(Partition, CutsScaledMatricesBetweenBlocks) {
    for (const graph::Split split : {graph::Split::Column, graph::Split::Row}) {
        const Lone matrix = lone(split, 1536, 1536);
        EXPECT_EQ(matrix.at(8, 0).end, 256);  // 12 blocks over 8 ranks: 2 2 2 2 1 1 1 1
        EXPECT_EQ(matrix.at(8, 7).begin, 1408);
        EXPECT_EQ(matrix.at(8, 0).bytes, 256 * 1536);
        EXPECT_EQ(matrix.at(8, 0).scaleBytes, 2 * 12 * 4);
        EXPECT_EQ(matrix.at(8, 7).scaleBytes, 12 * 4);
    }
}

TEST(Partition, TakesTheSameShareOfEverySegment) {
    Lone matrix = lone(graph::Split::Column, 2 * 96, 64);
    matrix.stored[0] = {DType::BF16, 2 * 96 * 64 * 2};
    matrix.graph.weights[0].segments = {96, 96};
    const Slice second = matrix.at(3, 1);  // rows 32…63 of each 96
    EXPECT_EQ(second.begin, 64);
    EXPECT_EQ(second.end, 128);
    EXPECT_EQ(second.bytes, 2 * 32 * 64 * 2);
}

}  // namespace fl::plan
