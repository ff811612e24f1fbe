// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_graph.h"

namespace fl::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
    graph::Graph graph;
    std::vector<StoredWeight> stored;
    topology::Cluster cluster;

    explicit Case(const test::TinyModel& model, DType dtype = DType::BF16)
        : graph(test::tinyGraph(model)),
          stored(test::storedAs(graph, dtype)) {
        topology::Node node;
        node.name = "a";
        for (int i = 0; i < 8; ++i) {
            topology::Device device;
            device.name = "card";
            device.kind = "cpu";
            device.budgetBytes = std::int64_t{1} << 30;
            node.devices.push_back(device);
        }
        cluster.nodes.push_back(node);
    }

    Plan plan(int pp, int tp, int ep = 1) const {
        PlanOptions options;
        options.dp = 1;
        options.pp = pp;
        options.tp = tp;
        options.ep = ep;
        const auto made = makePlan(graph, stored, cluster, options);
        EXPECT_TRUE(made);
        return *made;
    }
};

TEST(Notes, PriceKeyValueHeadsThatRanksShare) {
    const Case one({.heads = 4, .kvHeads = 1});
    EXPECT_THAT(one.plan(1, 1).findings, ElementsAre());
    const Plan shared = one.plan(1, 4);
    ASSERT_EQ(shared.findings.size(), 1u);
    EXPECT_EQ(shared.findings[0].code, "plan-kv-copies");
    EXPECT_EQ(shared.findings[0].severity, Severity::Info);
    EXPECT_THAT(shared.findings[0].message, HasSubstr("1 key/value head serves TP 4"));
    const std::int64_t cache = 4 * shared.ranks[0].ledger[Category::Kv];
    EXPECT_EQ(cache / 4, one.plan(1, 1).ranks[0].ledger[Category::Kv]);
    EXPECT_EQ(shared.findings[0].expected, "TP 1 without copies");
}

TEST(Notes, PriceALatentThatEveryRankHolds) {
    Case one({.heads = 4, .kvHeads = 4});
    const Plan whole = one.plan(1, 2);
    EXPECT_THAT(whole.findings, ElementsAre());
    for (graph::Weight& weight : one.graph.weights)
        weight.shareable = false;
    Plan latent = whole;  // as if each rank kept all of it
    for (RankPlan& rank : latent.ranks)
        rank.ledger[Category::Kv] *= 2;
    std::vector<Finding> out;
    noteCopiedHeads(one.graph, latent, out);
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].code, "plan-kv-copies");
    EXPECT_THAT(out[0].message, HasSubstr("one latent of keys and values serves TP 2"));
    EXPECT_EQ(out[0].expected, "TP 1 without copies");
}

TEST(Notes, NameStagesWithoutExperts) {
    Case mixed({.layers = 4, .experts = 8});
    EXPECT_THAT(mixed.plan(2, 2, 2).findings, ElementsAre());
    for (graph::Weight& weight : mixed.graph.weights) {
        if (weight.layer < 2 && weight.split == graph::Split::Expert)
            weight.split = graph::Split::Replicate;
    }
    std::vector<Finding> out;
    Plan plan = Case({.layers = 4, .experts = 8}).plan(2, 2, 2);
    noteStagesWithoutExperts(mixed.graph, plan, out);
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].code, "plan-stage-experts");
    EXPECT_THAT(out[0].message, HasSubstr("stage 0 of 2"));
    plan.mesh.ep = 1;
    out.clear();
    noteStagesWithoutExperts(mixed.graph, plan, out);
    EXPECT_TRUE(out.empty());
}

TEST(Notes, NameFormatsAndHeadsThatADeviceDoesNotKnow) {
    Case fp8({.headDim = 64}, DType::F8E4M3);
    EXPECT_THAT(fp8.plan(1, 1).findings, ElementsAre());
    for (topology::Device& device : fp8.cluster.nodes[0].devices) {
        device.formats = {"F32", "BF16"};
        device.maxHeadDim = 32;
    }
    const auto findings = fp8.plan(1, 2).findings;
    ASSERT_EQ(findings.size(), 2u);
    EXPECT_EQ(findings[0].code, "plan-format");
    EXPECT_EQ(findings[0].found, "F8_E4M3");
    EXPECT_EQ(findings[0].count, 2);
    EXPECT_EQ(findings[1].code, "plan-head-size");
    EXPECT_EQ(findings[1].found, "64");
}

TEST(Notes, NameWhatIsPackedAndNotTheBytesThatHoldIt) {
    Case packed({.headDim = 64}, DType::U8);
    for (graph::Weight& weight : packed.graph.weights) {
        weight.packing.name = "mxfp4, groups of 32";
        weight.packing.perElement = 2;
    }
    for (topology::Device& device : packed.cluster.nodes[0].devices)
        device.formats = {"F32", "BF16", "U8"};
    const auto findings = packed.plan(1, 2).findings;
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].code, "plan-format");
    EXPECT_EQ(findings[0].found, "mxfp4");
    EXPECT_THAT(findings[0].message, HasSubstr("no arithmetic for mxfp4"));
    for (topology::Device& device : packed.cluster.nodes[0].devices)
        device.formats.push_back("mxfp4");
    EXPECT_THAT(packed.plan(1, 2).findings, ElementsAre());
}

TEST(Notes, CardsMadeOfAMachinesMemoryMustFitIt) {
    Case small({.layers = 2});
    small.cluster.nodes[0].memoryBytes = 64 << 20;
    const auto findings = small.plan(2, 2).findings;
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].code, "plan-host-memory");
    EXPECT_EQ(findings[0].severity, Severity::Error);
    EXPECT_THAT(findings[0].message, HasSubstr("4 ranks on a need"));
    small.cluster.nodes[0].memoryBytes = std::int64_t{64} << 30;
    EXPECT_THAT(small.plan(2, 2).findings, ElementsAre());
}

}  // namespace
}  // namespace fl::plan
