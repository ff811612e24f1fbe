// SPDX-License-Identifier: Apache-2.0
// Covers: engine/plan/dump.cpp engine/plan/fit.cpp engine/plan/ledger.cpp
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/plan/plan.h"
#include "tests/support/tiny_graph.h"

namespace fl::plan {

using testing::ElementsAre;

static topology::Cluster cluster(int nodes, int devices, std::int64_t bytes, const char* kind) {
    topology::Cluster made;
    for (int n = 0; n < nodes; ++n) {
        topology::Node node;
        for (int i = 0; i < devices; ++i) {
            topology::Device device;
            device.kind = kind;
            device.budgetBytes = bytes;
            node.devices.push_back(device);
        }
        made.nodes.push_back(node);
    }
    return made;
}

static PlanOptions mesh(int dp, int pp, int tp, int ep) {
    PlanOptions options;
    options.dp = dp;
    options.pp = pp;
    options.tp = tp;
    options.ep = ep;
    return options;
}

static constexpr std::int64_t kGiB = std::int64_t{1} << 30;

static std::int64_t weightBytes(const graph::Graph& graph,
                                const std::vector<StoredWeight>& stored) {
    std::int64_t sum = 0;
    for (std::size_t id = 0; id < stored.size(); ++id)
        sum += stored[id].bytesPerTensor * graph.weights[id].parts();
    return sum;
}

TEST(Planner, TwoStagesOfThreeOnSixCards) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto plan = makePlan(graph, stored, cluster(1, 6, kGiB, "cpu"), mesh(1, 2, 3, 1));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(plan->findings, ElementsAre());
    ASSERT_EQ(plan->ranks.size(), 6U);
    EXPECT_EQ(plan->ranks[4].where.pp, 1);
    EXPECT_EQ(plan->ranks[4].device, 4);
    EXPECT_EQ(plan->options.maxContext, 4096);
    EXPECT_EQ(plan->kvPagesPerReplica, 8 * 256);
    EXPECT_GT(plan->predicted.stepSeconds, 0);
    EXPECT_NE(dump(*plan).find("rank 5: node 0 device 5"), std::string::npos);
}

TEST(Planner, LedgerWeightsSumToTheCheckpointAndItsCopies) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const std::int64_t table = stored[0].bytesPerTensor;
    for (const auto& [pp, tp] : std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {2, 3}, {4, 9}}) {
        const auto plan =
            makePlan(graph, stored, cluster(1, 36, 4 * kGiB, "cpu"), mesh(1, pp, tp, 1));
        ASSERT_TRUE(plan);
        ASSERT_EQ(plan->ranks.size(), static_cast<std::size_t>(pp * tp));
        std::int64_t all = 0;
        std::int64_t copies = 0;
        for (const RankPlan& rank : plan->ranks) {
            std::int64_t slices = 0;
            for (const Slice& slice : slicesOf(graph, stored, *plan, rank.rank))
                slices += slice.bytes;
            EXPECT_EQ(rank.ledger[Category::Weights], slices);
            EXPECT_LE(rank.ledger.total(), rank.ledger.capacity);
            all += slices;
            if (rank.where.tp > 0)
                copies += rank.ledger.replicatedWeights;
        }
        // Shared key/value heads are counted as copies on every rank, held once by each third.
        if (tp <= 3) {
            EXPECT_EQ(all, weightBytes(graph, stored) + copies + (pp > 1 ? table : 0))
                << pp << " × " << tp;
        }
    }
}

TEST(Planner, KvAndActivationsComeFromTheDeclarations) {
    const graph::Graph graph = test::tinyGraph({.layers = 4, .context = 2048});
    const auto stored = test::storedAs(graph, DType::BF16);
    PlanOptions options = mesh(1, 1, 2, 1);
    options.maxContext = 100;  // seven pages of 16
    options.maxSequences = 3;
    options.maxBatchTokens = 32;
    options.kv = DType::BF16;
    const auto plan = makePlan(graph, stored, cluster(1, 2, kGiB, "cpu"), options);
    ASSERT_TRUE(plan);
    const Ledger& ledger = plan->ranks[0].ledger;
    EXPECT_EQ(ledger[Category::Kv], 4 * (2 * 1 * 16) * 2 * 16 * 3 * 7);
    const auto local = rankGraph(graph, stored, *plan, 0);
    ASSERT_TRUE(local);
    EXPECT_GE(ledger[Category::Activations],
              planMemory(*local, mostRows(*plan), graph::Taps::Reuse).peakBytes);
    EXPECT_GT(ledger[Category::Communication], 0);
}

TEST(Planner, CountsWhatTheKernelsOfACpuCardWorkWith) {
    const auto context = [](const test::TinyModel& model, const char* kind, Compute compute) {
        const graph::Graph graph = test::tinyGraph(model);
        PlanOptions options = mesh(1, 1, 2, 1);
        options.compute = compute;
        const auto plan =
            makePlan(graph, test::storedAs(graph, DType::BF16), cluster(1, 2, kGiB, kind), options);
        return plan->ranks[0].ledger[Category::Context];
    };
    constexpr std::int64_t kPanel = 33'280;
    EXPECT_EQ(context({}, "cpu", Compute::F32), kPanel);
    // Each expert is cut into two parts: 128 rows of 64 values and 80, before and behind.
    EXPECT_EQ(context({.experts = 4}, "cpu", Compute::F32), kPanel + 2 * 128 * (64 + 80) * 4);
    EXPECT_EQ(context({}, "cpu", Compute::BF16), kPanel + 128 * 80 * 4);
    EXPECT_EQ(context({}, "cuda", Compute::F32), kGiB / 2);
}

TEST(Planner, StagesOnOneCpuTakeTurns) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    topology::Cluster machine = cluster(1, 6, kGiB, "cpu");
    machine.nodes[0].cores = 2;
    const auto seconds = [&](int pp, int tp) {
        return makePlan(graph, stored, machine, mesh(1, pp, tp, 1))->predicted.weightSeconds;
    };
    EXPECT_NEAR(seconds(2, 1), seconds(1, 1), 0.01 * seconds(1, 1));
    EXPECT_NEAR(seconds(2, 3), seconds(1, 3), 0.01 * seconds(1, 3));
}

TEST(Planner, ATooSmallBudgetIsRefusedWithWhatWouldFit) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const std::int64_t half = weightBytes(graph, stored) / 2;
    PlanOptions options = mesh(1, 1, 1, 1);
    options.maxContext = 256;
    options.maxSequences = 8;
    const auto plan = makePlan(graph, stored, cluster(1, 6, half, "cpu"), options);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->findings.size(), 1U);
    EXPECT_EQ(plan->findings[0].code, "plan-memory");
    EXPECT_EQ(plan->ranks.size(), 1U);  // the ledger is still there to be shown
    EXPECT_NE(plan->findings[0].remedy.find("would fit"), std::string::npos)
        << plan->findings[0].remedy;
}

TEST(Planner, ShrinksACacheThatNobodyAskedFor) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto whole = makePlan(graph, stored, cluster(1, 1, 4 * kGiB, "cpu"), mesh(1, 1, 1, 1));
    ASSERT_TRUE(whole);
    const Ledger& ledger = whole->ranks[0].ledger;
    // Room for a third of the cache: two of eight sequences.
    const std::int64_t room = ledger.total() - ledger[Category::Kv] * 2 / 3;
    const auto small = makePlan(graph, stored, cluster(1, 1, room, "cpu"), mesh(1, 1, 1, 1));
    ASSERT_TRUE(small);
    ASSERT_EQ(small->findings.size(), 1U);
    EXPECT_EQ(small->findings[0].code, "plan-cache-shrunk");
    EXPECT_EQ(small->findings[0].expected, "8 sequences of 4,096 tokens");
    EXPECT_EQ(small->findings[0].found, "2 sequences of 4,096 tokens");
    EXPECT_LE(small->ranks[0].ledger.total(), room);
    // Room for a fiftieth: one sequence of less context.
    const std::int64_t tight = ledger.total() - ledger[Category::Kv] * 49 / 50;
    const auto tiny = makePlan(graph, stored, cluster(1, 1, tight, "cpu"), mesh(1, 1, 1, 1));
    ASSERT_TRUE(tiny);
    EXPECT_FALSE(hasErrors(tiny->findings));
    EXPECT_EQ(tiny->options.maxSequences, 1);
    EXPECT_LT(tiny->options.maxContext, 4096);
    // What was asked for stays.
    PlanOptions asked = mesh(1, 1, 1, 1);
    asked.maxSequences = 8;
    asked.maxContext = 4096;
    EXPECT_TRUE(hasErrors(makePlan(graph, stored, cluster(1, 1, room, "cpu"), asked)->findings));
}

TEST(Planner, AnIllegalMeshHasFindingsAndNoRanks) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    PlanOptions options;
    options.tp = 2;
    const auto plan = makePlan(graph, stored, cluster(1, 6, kGiB, "cpu"), options);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(hasErrors(plan->findings));
    EXPECT_TRUE(plan->ranks.empty());
    EXPECT_EQ(plan->mesh.tp, 2);
}

TEST(Planner, ChoosesALegalMeshByItself) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto plan = makePlan(graph, stored, cluster(1, 6, kGiB, "cpu"), {});
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->findings, ElementsAre());
    EXPECT_FALSE(plan->ranks.empty());
    EXPECT_EQ(plan->mesh.dp, 1);
    EXPECT_EQ(plan->options.tp, plan->mesh.tp);
}

TEST(Planner, SearchRanksLegalPlansByTime) {
    const graph::Graph graph = test::tinyGraph({.layers = 4, .experts = 8});
    const auto stored = test::storedAs(graph, DType::BF16);
    SearchOptions all;
    all.limit = 100;
    const auto plans = searchPlans(graph, stored, cluster(1, 8, kGiB, "cpu"), {}, all).best;
    ASSERT_GT(plans.size(), 10U);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_TRUE(seen.insert(text(plans[i].mesh)).second);
        EXPECT_LE(plans[i].mesh.ranks(), 8);
        EXPECT_GE(plans[i].freeBytes, 0);
    }
    for (const char* expected : {"tp4", "tp4·ep2", "tp4·ep4", "dp2", "tp2·pp2·ep2"}) {
        const bool found = std::any_of(seen.begin(), seen.end(), [&](const std::string& mesh) {
            return mesh.find(expected) != std::string::npos;
        });
        EXPECT_TRUE(found) << expected;
    }
    EXPECT_EQ(seen.count("tp2·dp2·ep4"), 1U);
    SearchOptions three;
    three.limit = 3;
    EXPECT_EQ(searchPlans(graph, stored, cluster(1, 8, kGiB, "cpu"), {}, three).best.size(), 3U);
}

TEST(Planner, StopsOnceCancelled) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto cards = cluster(1, 6, kGiB, "cpu");
    CancelSource source;
    source.cancel();
    SearchOptions search;
    search.cancel = source.token();
    const SearchState state = searchPlans(graph, stored, cards, {}, search);
    EXPECT_TRUE(state.cancelled);
    EXPECT_TRUE(state.best.empty());
    for (const PlanOptions& options : {PlanOptions(), mesh(1, 2, 3, 1)}) {
        const auto plan = makePlan(graph, stored, cards, options, source.token());
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().code, ErrorCode::Cancelled);
    }
}

TEST(Planner, LegalValuesFollowTheOtherNumbers) {
    const graph::Graph smol = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(smol, DType::BF16);
    const LegalValues legal = legalValues(smol, stored, cluster(1, 9, kGiB, "cpu"), {});
    EXPECT_THAT(legal.tp, ElementsAre(1, 3, 9));
    EXPECT_THAT(legal.ep, ElementsAre(1));
    PlanOptions three;
    three.tp = 3;
    EXPECT_THAT(legalValues(smol, stored, cluster(1, 9, kGiB, "cpu"), three).pp,
                ElementsAre(1, 2, 3));
    const graph::Graph sparse = test::tinyGraph({.experts = 8});
    PlanOptions two;
    two.tp = 2;
    two.dp = 2;
    EXPECT_THAT(
        legalValues(sparse, test::storedAs(sparse, DType::BF16), cluster(1, 8, kGiB, "cpu"), two)
            .ep,
        ElementsAre(1, 2, 4));
}

TEST(Planner, RanksTakeDevicesInNodeOrder) {
    const graph::Graph graph = test::tinyGraph({.layers = 4});
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto plan = makePlan(graph, stored, cluster(2, 2, kGiB, "cpu"), mesh(1, 4, 1, 1));
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->ranks.size(), 4U);
    EXPECT_EQ(plan->ranks[1].node, 0);
    EXPECT_EQ(plan->ranks[2].node, 1);
    EXPECT_EQ(plan->ranks[2].device, 0);
}

TEST(Planner, ATrillionParametersOnManyCardsArePlanned) {
    const graph::Graph graph = test::tinyGraph({.layers = 93,
                                                .hidden = 7168,
                                                .vocab = 163840,
                                                .heads = 64,
                                                .kvHeads = 8,
                                                .headDim = 128,
                                                .inner = 2048,
                                                .experts = 896,
                                                .chosen = 16,
                                                .context = 131072});
    const auto stored = test::storedAs(graph, DType::Q4_0);
    const auto cards = cluster(32, 8, 80 * kGiB, "cuda");
    const auto plan = makePlan(graph, stored, cards, mesh(1, 32, 8, 8));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(plan->findings, ElementsAre()) << dump(*plan);
    EXPECT_EQ(plan->ranks.size(), 256U);
    EXPECT_EQ(plan->ranks[255].node, 31);
}

// What fit promises is what a plan with those numbers finds, to the page and the sequence.
TEST(Planner, FitIsWhatAPlanWithThatNumberFinds) {
    const graph::Graph graph = test::tinyGraph(test::kSmolLike);
    const auto stored = test::storedAs(graph, DType::BF16);
    const auto machines = cluster(1, 2, kGiB, "cpu");
    PlanOptions options = mesh(1, 2, 1, 1);
    options.maxContext = 1000;
    options.maxSequences = 8;
    const auto plan = makePlan(graph, stored, machines, options);
    ASSERT_TRUE(plan);
    ASSERT_GT(plan->fit.context, 1000);
    ASSERT_LT(plan->fit.context, graph.contextLength);
    const auto fits = [&](PlanOptions changed) {
        return makePlan(graph, stored, machines, changed)->findings.empty();
    };
    PlanOptions longest = options;
    longest.maxContext = plan->fit.context;
    EXPECT_TRUE(fits(longest));
    longest.maxContext += 1;
    EXPECT_FALSE(fits(longest));
    PlanOptions most = options;
    most.maxSequences = plan->fit.sequences;
    EXPECT_TRUE(fits(most));
    most.maxSequences += 1;
    EXPECT_FALSE(fits(most));
    PlanOptions over = options;
    over.maxContext = 8192;
    EXPECT_EQ(makePlan(graph, stored, machines, over)->fit.context, plan->fit.context);
}

}  // namespace fl::plan
