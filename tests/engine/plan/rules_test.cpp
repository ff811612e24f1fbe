// SPDX-License-Identifier: Apache-2.0
// Covers: engine/plan/weight_cuts.cpp
#include "engine/plan/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_graph.h"

namespace fl::plan {

using testing::ElementsAre;

static topology::Cluster cards(int count, std::int64_t bytes) {
    topology::Cluster cluster;
    cluster.name = "cards";
    topology::Node node;
    for (int i = 0; i < count; ++i) {
        topology::Device device;
        device.kind = "cpu";
        device.index = i;
        device.memoryBytes = bytes;
        device.budgetBytes = bytes;
        node.devices.push_back(device);
    }
    cluster.nodes.push_back(node);
    return cluster;
}

struct Setting {
    graph::Graph graph;
    std::vector<StoredWeight> stored;
    topology::Cluster cluster;
    std::vector<Finding> check(const Mesh& mesh, PlanOptions options = {}) const {
        if (options.maxContext == 0)
            options.maxContext = 128;
        if (options.maxSequences == 0)
            options.maxSequences = 8;
        return checkShape(gatherFacts(graph, stored, cluster), mesh, options);
    }
};

static Setting set(const test::TinyModel& model, DType dtype = DType::BF16, int devices = 64) {
    Setting made;
    made.graph = test::tinyGraph(model);
    made.stored = test::storedAs(made.graph, dtype);
    made.cluster = cards(devices, std::int64_t{1} << 30);
    return made;
}

static std::vector<std::string> codes(const std::vector<Finding>& findings) {
    std::vector<std::string> out;
    for (const Finding& finding : findings)
        out.push_back(finding.code);
    return out;
}

TEST(Rules, NineHeadsAllowOneThreeOrNine) {
    for (const DType dtype : {DType::BF16, DType::Q4_1}) {
        const Setting smol = set(test::kSmolLike, dtype);
        for (const int tp : {1, 3, 9})
            EXPECT_THAT(codes(smol.check({.tp = tp})), ElementsAre()) << tp;
        const auto findings = smol.check({.tp = 2});
        ASSERT_THAT(codes(findings), ElementsAre("plan-heads", "plan-kv-heads"));
        EXPECT_EQ(findings[0].message, "9 attention heads cannot be divided over TP 2");
        EXPECT_EQ(findings[0].expected, "TP 1, 3 or 9");
        EXPECT_EQ(findings[0].found, "2");
        EXPECT_EQ(findings[0].remedy, "9 heads allow TP 1, 3 or 9");
    }
}

TEST(Rules, AllViolationsAreListedAtOnce) {
    const Setting smol = set(test::kSmolLike, DType::BF16, 4);
    PlanOptions options;
    options.maxContext = 100'000;
    options.stageLayers = {10, 10};
    const auto findings = smol.check({.dp = 2, .pp = 40, .tp = 4, .ep = 2}, options);
    EXPECT_THAT(codes(findings),
                ElementsAre("plan-heads", "plan-kv-heads", "plan-layers", "plan-stage-layers",
                            "plan-experts", "plan-devices", "plan-context"));
    for (const Finding& finding : findings) {
        EXPECT_EQ(finding.stage, "plan");
        EXPECT_FALSE(finding.key.empty()) << finding.code;
        EXPECT_FALSE(finding.expected.empty()) << finding.code;
        EXPECT_FALSE(finding.found.empty()) << finding.code;
        EXPECT_FALSE(finding.remedy.empty()) << finding.code;
    }
}

TEST(Rules, NumbersThatMeanNothingAreNamedFirst) {
    EXPECT_THAT(codes(set({}).check({.dp = 1'000'000, .pp = 1'000'000, .tp = 1'000'000})),
                ElementsAre("plan-number", "plan-number", "plan-number"));
    const auto findings = set({}).check({.dp = 0, .tp = -1});
    EXPECT_THAT(codes(findings), ElementsAre("plan-number", "plan-number"));
    // They hide none of the other rules.
    EXPECT_THAT(codes(set({.heads = 4}).check({.dp = 0, .pp = 3, .tp = 3})),
                ElementsAre("plan-number", "plan-heads", "plan-kv-heads", "plan-layers"));
}

TEST(Rules, ExpertMeshesOfTheKnownKinds) {
    const Setting sparse = set({.layers = 4, .heads = 4, .kvHeads = 2, .experts = 8});
    for (const Mesh& mesh : {Mesh{1, 1, 4, 1}, Mesh{1, 1, 4, 2}, Mesh{1, 1, 4, 4}, Mesh{2, 1, 1, 2},
                             Mesh{2, 1, 2, 4}, Mesh{1, 2, 2, 2}})
        EXPECT_THAT(codes(sparse.check(mesh)), ElementsAre()) << text(mesh);
    EXPECT_THAT(codes(sparse.check({1, 1, 4, 3})), ElementsAre("plan-experts", "plan-expert-mesh"));
    const auto across = sparse.check({2, 1, 4, 16});
    EXPECT_THAT(codes(across), ElementsAre("plan-experts", "plan-expert-mesh"));
    EXPECT_EQ(across[0].expected, "EP 1, 2, 4 or 8");
    EXPECT_THAT(codes(sparse.check({1, 1, 2, 4})), ElementsAre("plan-expert-mesh"));
}

TEST(Rules, RowCutsMustRespectBlocks) {
    // 256 values of Q4_K: an inner width of 512 is two blocks, and 16 columns per head are none.
    const Setting blocks = set({.layers = 2, .inner = 512}, DType::Q4_K);
    const auto findings = blocks.check({.tp = 4});
    ASSERT_THAT(codes(findings), ElementsAre("plan-alignment"));
    EXPECT_EQ(findings[0].tensor, "layers.0.o");
    EXPECT_EQ(findings[0].expected, "TP 1");
    EXPECT_EQ(findings[0].count, 8);  // what heads and the inner width meet, in two layers
}

TEST(Rules, EveryRankHasRowsOfTheVocabulary) {
    const Setting small = set({.layers = 2, .vocab = 8, .heads = 16, .kvHeads = 16});
    EXPECT_THAT(codes(small.check({.tp = 8})), ElementsAre());
    const auto findings = small.check({.tp = 16});
    ASSERT_THAT(codes(findings), ElementsAre("plan-vocabulary"));
    EXPECT_EQ(findings[0].tensor, "embed.weight");
    EXPECT_EQ(findings[0].message, "[8, 64] of embed.weight (BF16) cannot be cut into 16 parts");
    EXPECT_EQ(findings[0].expected, "TP 1, 2, 4 or 8");
    EXPECT_EQ(findings[0].count, 2);
}

TEST(Rules, GroupedProjectionsAreCutByWholeGroups) {
    Setting grouped = set({.layers = 2, .heads = 8, .kvHeads = 8});
    for (graph::Node& node : grouped.graph.nodes) {
        const bool out = !node.weights.empty() &&
                         grouped.graph.weights[static_cast<std::size_t>(node.weights[0])].split ==
                             graph::Split::Row;
        if (out && node.site == "attn") {
            node.op = "grouped_linear";
            grouped.graph.weights[static_cast<std::size_t>(node.weights[0])].heads = 2;
        }
    }
    EXPECT_THAT(codes(grouped.check({.tp = 2})), ElementsAre());
    const auto findings = grouped.check({.tp = 4});
    ASSERT_THAT(codes(findings), ElementsAre("plan-groups"));
    EXPECT_EQ(findings[0].message, "2 groups of a grouped projection cannot be divided over TP 4");
    EXPECT_EQ(findings[0].expected, "TP 1 or 2");
}

TEST(Rules, LatentProjectionsKeepTheirBlocksWhole) {
    Setting latent =
        set({.layers = 2, .heads = 8, .kvHeads = 8, .headDim = 256, .inner = 2048}, DType::Q4_K);
    for (graph::Weight& weight : latent.graph.weights) {
        if (weight.tensor.ends_with(".o")) {
            weight.kind = graph::WeightKind::LatentProjections;
            weight.shape = {64, 8 * 192};
        }
    }
    const auto findings = latent.check({.tp = 8});
    ASSERT_THAT(codes(findings), ElementsAre("plan-latents"));
    EXPECT_EQ(findings[0].expected, "TP 1 or 2");
    EXPECT_EQ(findings[0].count, 2);
    EXPECT_NE(findings[0].message.find("8 parts of whole blocks of 256"), std::string::npos);
}

TEST(Rules, ExpertsThatCannotBeCutStayWhole) {
    // 160 values of Q8_0 are five blocks.
    const Setting sparse =
        set({.layers = 2, .heads = 8, .kvHeads = 8, .headDim = 32, .experts = 4}, DType::Q8_0);
    EXPECT_THAT(codes(sparse.check({.tp = 8, .ep = 2})), ElementsAre());
    const auto findings = sparse.check({.tp = 8});
    ASSERT_THAT(codes(findings), ElementsAre("plan-expert-blocks"));
    EXPECT_EQ(findings[0].key, "ep");
    EXPECT_EQ(findings[0].expected, "EP 2 or 4");
}

TEST(Rules, MemoryNamesTheLargestPartAndWhatFits) {
    Plan plan;
    plan.options.maxSequences = 4;
    plan.options.pageTokens = 16;
    plan.options.maxContext = 1024;
    plan.kvPagesPerReplica = 4 * 64;
    plan.fit.context = 512;
    RankPlan rank;
    rank.rank = 5;
    rank.ledger.capacity = 1000 + 256 * 100 / 2;
    rank.ledger[Category::Weights] = 1000;
    rank.ledger[Category::Kv] = 256 * 100;
    plan.ranks = {rank, rank};
    const auto findings = checkMemory(plan);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].code, "plan-memory");
    EXPECT_EQ(findings[0].rank, 5);
    EXPECT_EQ(findings[0].count, 2);
    EXPECT_NE(findings[0].message.find("largest part is kv"), std::string::npos);
    EXPECT_EQ(findings[0].remedy, "--max-context 512 would fit");
    plan.fit.sequences = 2;
    EXPECT_EQ(checkMemory(plan)[0].remedy, "--max-context 512 or --max-sequences 2 would fit");
}

TEST(Rules, ListsReadLikeSentences) {
    EXPECT_EQ(listed({1, 3, 9}), "1, 3 or 9");
    EXPECT_EQ(listed({4}), "4");
    EXPECT_EQ(listed({}), "none");
}

}  // namespace fl::plan
