// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/family_gaps.h"

#include <gtest/gtest.h>

#include "tests/support/findings.h"

namespace fl::recipe {
namespace {

graph::Graph graphOf(const std::vector<std::pair<std::string, int>>& weights) {
    graph::Graph graph;
    for (const auto& [tensor, experts] : weights) {
        graph::Weight weight;
        weight.tensor = tensor;
        weight.experts = experts;
        graph.weights.push_back(weight);
    }
    return graph;
}

checkpoint::Inventory inventoryOf(const std::vector<std::pair<std::string, DType>>& tensors) {
    checkpoint::Inventory inventory;
    for (const auto& [name, dtype] : tensors) {
        checkpoint::TensorInfo tensor;
        tensor.name = name;
        tensor.dtype = dtype;
        inventory.add(tensor);
    }
    inventory.finish();
    return inventory;
}

checkpoint::Inventory named(const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, DType>> tensors;
    for (const std::string& name : names)
        tensors.emplace_back(name, DType::BF16);
    return inventoryOf(tensors);
}

TEST(FamilyGaps, NameLayersAsAWhole) {
    const auto graph = graphOf({{"m.layers.0.w", 0},
                                {"m.layers.1.w", 0},
                                {"m.layers.2.w", 0},
                                {"m.layers.1.experts.{}.w", 2},
                                {"head.weight", 0}});
    const auto full = {std::string("m.layers.0.w"),           std::string("m.layers.1.w"),
                       std::string("m.layers.1.experts.0.w"), std::string("m.layers.1.experts.1.w"),
                       std::string("m.layers.2.w"),           std::string("head.weight")};
    EXPECT_EQ(test::codes(findFamilyGaps(graph, named(full))), "");
    const auto gap = findFamilyGaps(graph, named({"m.layers.0.w", "m.layers.2.w"}));
    ASSERT_EQ(test::codes(gap), "family-incomplete");
    EXPECT_EQ(gap[0].tensor, "m.layers.1.*");
    EXPECT_EQ(gap[0].expected, "layers 0..2 (3)");
    EXPECT_EQ(gap[0].found, "layers 0, 2 (2)");
    std::vector<std::string> more = full;
    more.emplace_back("m.layers.3.w");
    const auto surplus = findFamilyGaps(graph, named(more));
    ASSERT_EQ(test::codes(surplus), "family-surplus");
    EXPECT_EQ(surplus[0].tensor, "m.layers.3.w");
    EXPECT_EQ(surplus[0].found, "layers 0..3 (4), 3 too many");
    more.emplace_back("m.layers.3.v");
    const auto two = findFamilyGaps(graph, named(more));
    ASSERT_EQ(test::codes(two), "family-surplus");
    EXPECT_EQ(two[0].tensor, "m.layers.3.*");
    EXPECT_EQ(two[0].examples.size(), 2U);
}

TEST(FamilyGaps, CountExpertsOfTheirLayer) {
    const auto graph = graphOf({{"m.layers.0.experts.{}.w", 4}});
    const auto gap = findFamilyGaps(
        graph,
        named({"m.layers.0.experts.0.w", "m.layers.0.experts.1.w", "m.layers.0.experts.3.w"}));
    ASSERT_EQ(test::codes(gap), "family-incomplete");
    EXPECT_EQ(gap[0].tensor, "m.layers.0.experts.2.*");
    EXPECT_EQ(gap[0].expected, "experts 0..3 (4)");
    EXPECT_EQ(gap[0].found, "experts 0, 1, 3 (3)");
}

TEST(MixedTypes, AreOneWarning) {
    const Json config = *Json::parse(R"({"torch_dtype":"bfloat16"})");
    const auto mixed = findMixedTypes(
        config,
        inventoryOf(
            {{"a", DType::F16}, {"b", DType::BF16}, {"c", DType::F16}, {"norm", DType::F32}}));
    ASSERT_EQ(test::codes(mixed), "dtype-mixed");
    EXPECT_EQ(mixed[0].severity, Severity::Warning);
    EXPECT_EQ(mixed[0].count, 2);
    EXPECT_EQ(mixed[0].tensor, "a");
    EXPECT_EQ(mixed[0].expected, "BF16 (torch_dtype)");
    EXPECT_EQ(mixed[0].found, "F16");
    EXPECT_TRUE(findMixedTypes(config, inventoryOf({{"a", DType::F16}})).empty());
    EXPECT_TRUE(findMixedTypes(config, inventoryOf({{"a.scales", DType::F16}, {"b", DType::BF16}}))
                    .empty());
    EXPECT_TRUE(findMixedTypes(Json(), inventoryOf({{"a", DType::F16}})).empty());
}

}  // namespace
}  // namespace fl::recipe
