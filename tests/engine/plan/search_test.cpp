// SPDX-License-Identifier: Apache-2.0
// Covers: engine/plan/layer_costs.cpp engine/plan/machines.cpp
#include "engine/plan/search.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tiny_graph.h"

namespace fl::plan {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

topology::Cluster cluster(int nodes, int devices, std::int64_t bytes = kGiB) {
    topology::Cluster made;
    for (int n = 0; n < nodes; ++n) {
        topology::Node node;
        for (int i = 0; i < devices; ++i) {
            topology::Device device;
            device.kind = "cuda";
            device.budgetBytes = bytes;
            node.devices.push_back(device);
        }
        made.nodes.push_back(node);
    }
    return made;
}

SearchState search(const graph::Graph& graph,
                   const topology::Cluster& machines,
                   const PlanOptions& options = {}) {
    SearchOptions all;
    all.limit = 100'000;
    return searchPlans(graph, test::storedAs(graph, DType::BF16), machines, options, all);
}

// The sums of a search are what a plan finds rank by rank.
TEST(PlanSearch, AgreesWithTheLedgersOfAWholePlan) {
    for (const auto& model :
         {test::TinyModel{.layers = 6, .experts = 8}, test::TinyModel{.layers = 5, .tied = true}}) {
        const graph::Graph graph = test::tinyGraph(model);
        const auto stored = test::storedAs(graph, DType::BF16);
        const auto machines = cluster(2, 4);
        const SearchState state = search(graph, machines);
        ASSERT_GT(state.best.size(), 20u);
        for (const Candidate& found : state.best) {
            PlanOptions options;
            options.tp = found.mesh.tp;
            options.pp = found.mesh.pp;
            options.dp = found.mesh.dp;
            options.ep = found.mesh.ep;
            options.order = found.order;
            const auto plan = makePlan(graph, stored, machines, options);
            ASSERT_TRUE(plan);
            ASSERT_FALSE(hasErrors(plan->findings)) << text(found.mesh);
            std::int64_t peak = 0;
            for (const RankPlan& rank : plan->ranks)
                peak = std::max(peak, rank.ledger.total());
            EXPECT_NEAR(static_cast<double>(found.peakBytes), static_cast<double>(peak),
                        static_cast<double>(peak) * 0.002)
                << text(found.mesh);
            EXPECT_NEAR(found.predicted.stepSeconds, plan->predicted.stepSeconds,
                        plan->predicted.stepSeconds * 0.02)
                << text(found.mesh) << " " << text(found.order);
        }
    }
}

TEST(PlanSearch, FindsEveryMeshThatTheRulesAllow) {
    const graph::Graph graph = test::tinyGraph({.layers = 3, .experts = 8});
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto machines = cluster(1, 6);
    const Facts facts = gatherFacts(graph, stored, machines);
    std::set<std::string> legal;
    for (int dp = 1; dp <= 6; ++dp) {
        for (int pp = 1; pp <= 6; ++pp) {
            for (int tp = 1; tp <= 6; ++tp) {
                for (int ep = 1; ep <= 8; ++ep) {
                    const Mesh mesh{dp, pp, tp, ep};
                    PlanOptions options;
                    options.maxContext = 64;
                    options.maxSequences = 8;
                    if (mesh.ranks() <= 6 && checkShape(facts, mesh, options).empty())
                        legal.insert(text(mesh));
                }
            }
        }
    }
    std::set<std::string> found;
    for (const Candidate& each : search(graph, machines).best)
        found.insert(text(each.mesh));
    EXPECT_EQ(found, legal);
}

TEST(PlanSearch, KeepsNumbersThatAreSetAndRanksByTime) {
    const graph::Graph graph = test::tinyGraph({.layers = 4, .experts = 8});
    PlanOptions options;
    options.pp = 2;
    const SearchState state = search(graph, cluster(1, 8), options);
    ASSERT_FALSE(state.best.empty());
    EXPECT_EQ(state.tried, state.total);
    EXPECT_EQ(state.legal, static_cast<std::int64_t>(state.best.size()));
    for (std::size_t i = 0; i < state.best.size(); ++i) {
        EXPECT_EQ(state.best[i].mesh.pp, 2);
        const double before = i == 0 ? 0 : state.best[i - 1].predicted.stepSeconds;
        EXPECT_GE(state.best[i].predicted.stepSeconds, before);
    }
}

TEST(PlanSearch, TellsHowFarItIsAndStopsOnCancel) {
    const graph::Graph graph = test::tinyGraph({.layers = 4});
    const auto stored = test::storedAs(graph, DType::BF16);
    CancelSource source;
    SearchOptions options;
    int told = 0;
    options.onProgress = [&](const SearchState& state) {
        ++told;
        EXPECT_LE(state.tried, state.total);
    };
    EXPECT_TRUE(searchPlans(graph, stored, cluster(1, 8), {}, options).done);
    EXPECT_GE(told, 1);
    options.cancel = source.token();
    source.cancel();
    const SearchState stopped = searchPlans(graph, stored, cluster(1, 8), {}, options);
    EXPECT_TRUE(stopped.cancelled);
    EXPECT_EQ(stopped.tried, 0);
}

TEST(PlanSearch, OffersTheNearestLegalPlans) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    PlanOptions options;
    options.tp = 8;
    options.pp = 2;
    options.dp = options.ep = 1;
    const auto plan = makePlan(graph, stored, cluster(4, 8), options);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->nearest.size(), 3u);
    EXPECT_EQ(text(plan->nearest[0].mesh), "tp9·pp2");
    for (const Candidate& near : plan->nearest)
        EXPECT_GE(near.freeBytes, 0);
}

// Four stages of two ranks and experts over two replicas: with the replicas side by side their
// tokens stay within a node.
TEST(PlanSearch, AnotherOrderOfTheRanksSparesASlowLink) {
    const graph::Graph graph = test::tinyGraph({.layers = 4, .hidden = 1024, .experts = 8});
    const auto stored = test::storedAs(graph, DType::BF16);
    topology::Cluster machines = cluster(2, 4);
    topology::Link inside;
    inside.kind = topology::LinkKind::NvLink;
    inside.fromDevice = 0;
    inside.toDevice = 1;
    machines.links.push_back(inside);
    inside.fromNode = inside.toNode = 1;
    machines.links.push_back(inside);
    topology::Link network;
    network.kind = topology::LinkKind::Ethernet;
    network.toNode = 1;
    machines.links.push_back(network);
    PlanOptions options;
    options.tp = options.pp = options.dp = 2;
    options.ep = 4;
    const auto plan = makePlan(graph, stored, machines, options);
    ASSERT_TRUE(plan);
    const auto orders = rankOrders(graph, stored, machines, *plan);
    ASSERT_EQ(orders.size(), 6u);
    EXPECT_EQ(text(orders[0].order), "tp,dp,pp");
    EXPECT_LT(orders[0].predicted.stepSeconds, plan->predicted.stepSeconds);
    options.order = orders[0].order;
    const auto better = makePlan(graph, stored, machines, options);
    ASSERT_TRUE(better);
    EXPECT_NEAR(better->predicted.stepSeconds, orders[0].predicted.stepSeconds, 1e-5);
    EXPECT_EQ(better->ranks[4].node, 0);  // replica 1, stage 0
    EXPECT_EQ(better->ranks[2].node, 1);  // stage 1
}

TEST(PlanSearch, LooksAtEveryDeviceWhereTheyDiffer) {
    const graph::Graph graph = test::tinyGraph({.layers = 4});
    const auto stored = test::storedAs(graph, DType::BF16);
    topology::Cluster machines = cluster(2, 2);
    for (topology::Device& device : machines.nodes[1].devices) {
        device.budgetBytes = 1 << 20;  // too small for anything
        device.memoryBytesPerSecond = 1e9;
    }
    for (const Candidate& found : search(graph, machines).best)
        EXPECT_LE(found.mesh.ranks(), 2);
    const Machines places(machines);
    EXPECT_FALSE(places.alike());
    EXPECT_TRUE(Machines(cluster(2, 2)).alike());
}

TEST(LayerKinds, TellLayersApartByShapeStorageAndEdges) {
    const graph::Graph graph = test::tinyGraph({.layers = 5});
    auto stored = test::storedAs(graph, DType::BF16);
    EXPECT_THAT(layerKinds(graph, stored).kindOf, ElementsAre(0, 0, 0, 0, 0));
    for (std::size_t id = 0; id < stored.size(); ++id) {
        if (graph.weights[id].layer == 3)
            stored[id].dtype = DType::F16;
    }
    const LayerKinds kinds = layerKinds(graph, stored);
    EXPECT_THAT(kinds.kindOf, ElementsAre(0, 0, 0, 1, 0));
    EXPECT_THAT(kinds.first, ElementsAre(0, 3));
    EXPECT_THAT(kinds.crossingValues, testing::Each(1));
    EXPECT_THAT(kinds.crossingWidth, testing::Each(graph.hiddenSize));
}

}  // namespace
}  // namespace fl::plan
