// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/runnable.h"

#include <gtest/gtest.h>

#include "tests/support/one_node.h"
#include "tests/support/tiny_graph.h"

namespace fl::graph {

TEST(Runnable, FindsNothingMissingWhereKernelsExist) {
    EXPECT_TRUE(missingKernels(test::tinyGraph({.experts = 8, .qkNorm = true})).empty());
}

TEST(Runnable, NamesOperatorsVariantsAndFormatsOnce) {
    Graph graph = test::tinyGraph({});
    for (Node& node : graph.nodes) {
        if (node.op == "rope")
            node.set("offset", std::int64_t{8});
    }
    graph.weights[0].packing.name = "fp8 in blocks";
    graph.weights[1].packing.name = "fp8 in blocks";
    Node latent;
    latent.op = "mla_attention";
    graph.nodes.push_back(latent);
    EXPECT_EQ(missingKernels(graph),
              (std::vector<std::string>{"rope with a rotary part behind others",
                                        "operator mla_attention", "weights in fp8 in blocks"}));
}

}  // namespace fl::graph
