// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "engine/plan/stages.h"
#include "tests/support/tiny_graph.h"

namespace fl::plan {

using graph::Graph;
using graph::Node;

struct Made {
    Graph model;
    std::vector<StoredWeight> stored;
    Plan plan;
    Graph rank(int index) const {
        auto graph = rankGraph(model, stored, plan, index);
        EXPECT_TRUE(graph) << (graph ? "" : graph.error().message);
        return graph ? *graph : Graph{};
    }
};

static Made make(const test::TinyModel& model, const Mesh& mesh) {
    Made made;
    made.model = test::tinyGraph(model);
    made.stored = test::storedAs(made.model, DType::BF16);
    made.plan.mesh = mesh;
    made.plan.stages = makeStages(made.model, made.stored, mesh.pp, {});
    return made;
}

static std::vector<std::string> ops(const Graph& graph) {
    std::vector<std::string> out;
    for (const Node& node : graph.nodes)
        out.push_back(node.op);
    return out;
}

static std::int64_t count(const Graph& graph, const std::string& op) {
    const auto all = ops(graph);
    return std::count(all.begin(), all.end(), op);
}

static const Node& first(const Graph& graph, const std::string& op) {
    return *std::find_if(graph.nodes.begin(), graph.nodes.end(),
                         [&](const Node& node) { return node.op == op; });
}

static std::int64_t width(const Graph& graph, const std::string& name) {
    for (const graph::Value& value : graph.values) {
        if (value.name == name)
            return value.width;
    }
    return -1;
}

TEST(RankGraph, OneRankRunsTheModelItself) {
    const Made made = make({}, {});
    EXPECT_EQ(ops(made.rank(0)), ops(made.model));
    EXPECT_EQ(graph::dump(made.rank(0)), graph::dump(made.model));
}

TEST(RankGraph, TensorParallelSumsTwicePerLayerAndJoinsLogits) {
    const Made made = make({.layers = 3}, {.tp = 2});
    const Graph graph = made.rank(1);
    EXPECT_EQ(count(graph, "all_reduce"), 1 + 2 * 3);  // embedding, and attention and MLP per layer
    EXPECT_EQ(count(graph, "all_gather"), 1);
    EXPECT_EQ(first(graph, "all_gather").reals("columns"), (std::vector<double>{256, 256}));
    EXPECT_EQ(first(graph, "attention").integer("heads"), 2);
    EXPECT_EQ(first(graph, "attention").integer("kv_heads"), 1);
    EXPECT_EQ(graph.states[0].elements, 2 * 16);
    EXPECT_EQ(width(graph, "layers.0.gate.out"), 80);
    EXPECT_EQ(width(graph, "logits"), 512);
    EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.output)].name, "logits");
}

TEST(RankGraph, FewerKeyHeadsThanRanksAreShared) {
    const Graph graph = make({.heads = 8, .kvHeads = 2, .qkNorm = true}, {.tp = 4}).rank(3);
    EXPECT_EQ(first(graph, "attention").integer("heads"), 2);
    EXPECT_EQ(first(graph, "attention").integer("kv_heads"), 1);
    EXPECT_EQ(width(graph, "layers.0.k.out"), 16);
    const Graph single = make({.heads = 7, .kvHeads = 1, .qkNorm = true}, {.tp = 7}).rank(3);
    EXPECT_EQ(first(single, "attention").integer("heads"), 1);
    EXPECT_EQ(first(single, "attention").integer("kv_heads"), 1);
}

TEST(RankGraph, UnevenPartsAgreeAlongAnMlp) {
    // SmolLM2's inner width 1536 over 9 ranks in blocks of 32: 48 blocks, 6 or 5 each.
    Made made = make({.layers = 1, .heads = 9, .kvHeads = 3, .inner = 1536}, {.tp = 9});
    made.stored = test::storedAs(made.model, DType::Q4_1);
    std::int64_t sum = 0;
    for (int rank = 0; rank < 9; ++rank) {
        const Graph graph = made.rank(rank);
        const std::int64_t part = width(graph, "layers.0.gate.out");
        EXPECT_EQ(part, rank < 3 ? 192 : 160);
        EXPECT_EQ(width(graph, "layers.0.inner"), part);
        sum += part;
    }
    EXPECT_EQ(sum, 1536);
}

TEST(RankGraph, StagesHandTheResidualOn) {
    const Made made = make({.layers = 4}, {.pp = 2, .tp = 2});
    const Graph head = made.rank(0);
    const Graph tail = made.rank(2);
    EXPECT_EQ(head.nodes.back().op, "send");
    EXPECT_EQ(head.nodes.back().integer("to"), 1);
    EXPECT_EQ(head.output, graph::kNone);
    EXPECT_EQ(tail.nodes.front().op, "receive");
    EXPECT_EQ(tail.nodes.front().integer("from"), 0);
    EXPECT_EQ(count(head, "receive") + count(tail, "send"), 0);
    const graph::Value& edge = tail.values[static_cast<std::size_t>(tail.nodes.front().outputs[0])];
    EXPECT_EQ(edge.width, 64);
    EXPECT_EQ(head.states.size() + tail.states.size(), 4U);
}

TEST(RankGraph, ATapMovesBehindTheSumAndStaysOnItsStage) {
    Made made = make({.layers = 2}, {.pp = 2, .tp = 2});
    for (graph::Value& value : made.model.values) {
        if (value.name == "layers.0.attn" || value.name == "layers.0.out")
            value.tap = value.name;
    }
    const Graph head = made.rank(1);
    for (const graph::Value& value : head.values)
        EXPECT_TRUE(value.tap.empty() || value.tap == value.name);
    for (const Node& node : head.nodes) {
        if (node.op == "linear") {
            EXPECT_TRUE(head.values[static_cast<std::size_t>(node.outputs[0])].tap.empty());
        }
    }
    const Graph tail = made.rank(2);
    EXPECT_TRUE(tail.values[static_cast<std::size_t>(tail.nodes.front().outputs[0])].tap.empty());
}

TEST(RankGraph, ABiasBehindARowCutIsAddedOnce) {
    Made made = make({.layers = 1}, {.tp = 2});
    const auto bias = static_cast<graph::WeightId>(made.model.weights.size());
    graph::Weight weight;
    weight.tensor = "o.bias";
    weight.shape = {64};
    made.model.weights.push_back(weight);
    made.stored.push_back({DType::F32, 256});
    for (Node& node : made.model.nodes) {
        if (node.op == "linear" &&
            made.model.weights[static_cast<std::size_t>(node.weights[0])].tensor == "layers.0.o")
            node.weights.push_back(bias);
    }
    const auto holds = [&](int rank) {
        const Graph graph = made.rank(rank);
        return std::any_of(graph.weights.begin(), graph.weights.end(),
                           [](const auto& each) { return each.tensor == "o.bias"; });
    };
    EXPECT_TRUE(holds(0));
    EXPECT_FALSE(holds(1));
}

TEST(RankGraph, ExpertsWithinAStageNeedOneSum) {
    for (const int ep : {1, 2, 4}) {
        const Made made = make({.layers = 1, .experts = 8}, {.tp = 4, .ep = ep});
        const Graph graph = made.rank(2);
        EXPECT_EQ(count(graph, "gather_tokens"), 0);
        EXPECT_EQ(count(graph, "all_reduce"), 3);
    }
}

TEST(RankGraph, TokensTravelWhereExpertsSpanReplicas) {
    const Made made = make({.layers = 1, .experts = 8}, {.dp = 2, .tp = 2, .ep = 4});
    const Graph graph = made.rank(3);
    EXPECT_EQ(count(graph, "gather_tokens"), 3);  // rows, ids, weights
    EXPECT_EQ(count(graph, "scatter_tokens"), 1);
    EXPECT_EQ(first(graph, "gather_tokens").text("group"), "edp");
    const Node& experts = first(graph, "moe_experts");
    for (const graph::ValueId id : experts.inputs)
        EXPECT_EQ(graph.values[static_cast<std::size_t>(id)].rows, graph::Rows::GroupTokens);
    EXPECT_EQ(graph.values[static_cast<std::size_t>(experts.inputs[1])].dtype, DType::I32);
    const Node& scatter = first(graph, "scatter_tokens");
    EXPECT_EQ(graph.values[static_cast<std::size_t>(scatter.outputs[0])].rows, graph::Rows::Tokens);
}

TEST(RankGraph, WeightsComeInTheOrderOfTheSlices) {
    const Made made = make({.layers = 3, .experts = 8, .tied = true}, {.pp = 2, .tp = 2});
    for (int rank = 0; rank < 4; ++rank) {
        const Graph graph = made.rank(rank);
        const auto slices = slicesOf(made.model, made.stored, made.plan, rank);
        ASSERT_EQ(graph.weights.size(), slices.size());
        for (std::size_t i = 0; i < slices.size(); ++i) {
            const auto& weight = made.model.weights[static_cast<std::size_t>(slices[i].weight)];
            EXPECT_EQ(graph.weights[i].tensor, weight.tensor);
        }
    }
}

}  // namespace fl::plan
