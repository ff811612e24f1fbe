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

TEST(Runnable, NamesTypesThatACheckpointStoresAndNoKernelReads) {
    const Graph graph = test::tinyGraph({});
    std::vector<StoredWeight> stored(graph.weights.size());
    EXPECT_TRUE(missingKernels(graph, stored).empty());
    stored[0].dtype = DType::Q5_0;
    stored[1].dtype = DType::Q4_K;
    EXPECT_EQ(missingKernels(graph, stored), std::vector<std::string>{"weights in Q5_0"});
    EXPECT_FALSE(hasKernel(DType::F8E4M3));
    EXPECT_TRUE(hasKernel(DType::Q8_0));
}

}  // namespace fl::graph
