// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/dump.cpp
#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include "engine/graph/op.h"
#include "tests/support/tiny_graph.h"

namespace fl::graph {

TEST(Weight, NamesItsExperts) {
    Weight family;
    family.tensor = "layers.0.experts.{}.up";
    family.experts = 8;
    EXPECT_EQ(family.expertName(3), "layers.0.experts.3.up");
    EXPECT_FALSE(family.stacked());
    family.tensor = "blk.0.ffn_up_exps.weight";
    EXPECT_TRUE(family.stacked());
    EXPECT_EQ(family.expertName(3), "blk.0.ffn_up_exps.weight");
}

TEST(Node, ReadsWholeNumbersAsReals) {
    Node node;
    node.set("theta", std::int64_t{10000});
    EXPECT_EQ(node.real("theta"), 10000.0);
    node.set("theta", 5.5);
    EXPECT_EQ(node.real("theta"), 5.5);
    EXPECT_EQ(node.attributes.size(), 1U);
    EXPECT_EQ(node.find("factor"), nullptr);
}

TEST(Graph, EveryNodeOfTheTinyModelsPassesItsCheck) {
    for (const int experts : {0, 8}) {
        const Graph graph =
            test::tinyGraph({.experts = experts, .qkNorm = true, .attentionBias = true});
        for (const Node& node : graph.nodes) {
            const OpDef* op = findOp(node.op);
            ASSERT_NE(op, nullptr) << node.op;
            const Status status = op->check(graph, node);
            EXPECT_TRUE(status) << (status ? "" : status.error().message);
        }
    }
}

TEST(Dump, FoldsEqualLayersAndCountsDistinctOnes) {
    Graph graph = test::tinyGraph({.layers = 5});
    EXPECT_EQ(distinctLayers(graph), 1);
    EXPECT_NE(dump(graph).find("layers 1–4: as layer 0\n"), std::string::npos) << dump(graph);
    for (Node& node : graph.nodes) {
        if (node.layer == 3 && node.op == "rms_norm")
            node.set("epsilon", 1e-6);
    }
    EXPECT_EQ(distinctLayers(graph), 2);
    const std::string text = dump(graph);
    EXPECT_NE(text.find("layers 1–2: as layer 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("layer 3\n"), std::string::npos) << text;
    EXPECT_NE(text.find("layer 4: as layer 0\n"), std::string::npos) << text;
}

}  // namespace fl::graph
