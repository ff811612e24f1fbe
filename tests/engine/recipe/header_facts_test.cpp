// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/header_facts.h"

#include <gtest/gtest.h>

namespace fl::recipe {

static checkpoint::Inventory inventoryOf(
    std::initializer_list<std::pair<const char*, Shape>> tensors) {
    checkpoint::Inventory out;
    for (const auto& [name, shape] : tensors)
        out.add({name, DType::BF16, shape, 0, 0, 2});
    out.finish();
    return out;
}

static std::string factsOf(const char* evidence, const checkpoint::Inventory& inventory) {
    const auto rules = readConfigRules(*Json::parse(evidence));
    EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
    std::string out;
    for (const HeaderFact& fact :
         gatherFacts(rules->evidence, inventory, [](const std::string& name) { return name; })) {
        out += fact.formula.text() + " = " + std::to_string(static_cast<int>(fact.value)) + " (" +
               std::to_string(fact.votes) + ")\n";
    }
    return out;
}

TEST(HeaderFacts, ShapesAndLayersAreCountedOverAllLayers) {
    const auto inventory = inventoryOf(
        {{"l.0.up", {64, 32}}, {"l.1.up", {64, 32}}, {"l.2.up", {64, 16}}, {"l.3.other", {1}}});
    EXPECT_EQ(factsOf(R"({"evidence": [{"tensor": "l.{i}.up", "shape": ["inner", "hidden"],
                         "layers": "layers", "count": "dense"}]})",
                      inventory),
              "inner = 64 (3)\nhidden = 32 (2)\nhidden = 16 (1)\nlayers = 3 (1)\ndense = 3 (1)\n");
}

TEST(HeaderFacts, ExpertsAreCountedByNameOrByTheirDimension) {
    const char* named = R"({"evidence": [{"tensor": "l.{i}.e.{}.up", "shape": ["inner", "hidden"],
        "experts": "experts"}]})";
    EXPECT_EQ(factsOf(named, inventoryOf({{"l.1.e.0.up", {8, 4}}, {"l.1.e.2.up", {8, 4}}})),
              "inner = 8 (1)\nhidden = 4 (1)\nexperts = 3 (1)\n");
    const char* stacked = R"({"evidence": [{"tensor": "l.{i}.ups", "shape": ["inner", "hidden"],
        "experts": "experts"}]})";
    EXPECT_EQ(factsOf(stacked, inventoryOf({{"l.1.ups", {3, 8, 4}}})),
              "experts = 3 (1)\ninner = 8 (1)\nhidden = 4 (1)\n");
}

TEST(HeaderFacts, ASwitchIsWhatMostLayersSay) {
    const char* evidence = R"({"evidence": [{"tensor": "l.{i}.bias", "when": "biased"}]})";
    EXPECT_EQ(factsOf(evidence, inventoryOf({{"l.0.bias", {1}}, {"l.1.bias", {1}}})),
              "biased = 1 (1)\n");
    EXPECT_EQ(factsOf(evidence, inventoryOf({{"l.0.x", {1}}})), "biased = 0 (1)\n");
    EXPECT_EQ(factsOf(evidence, inventoryOf({{"l.0.bias", {1}}, {"l.1.x", {1}}, {"l.2.x", {1}}})),
              "");
}

TEST(HeaderFacts, TwoFormulasAgree) {
    EXPECT_EQ(factsOf(R"({"evidence": [{"agree": ["a", "b * 2"]}]})", inventoryOf({})),
              "(a) - (b * 2) = 0 (1)\n");
}

TEST(HeaderFacts, ACountFromZeroSaysWhatWasCounted) {
    const auto rules = readConfigRules(
        *Json::parse(R"({"evidence": [{"tensor": "l.{i}.up", "count": "dense"}]})"));
    const auto counted = [&rules](const checkpoint::Inventory& inventory) {
        return gatherFacts(rules->evidence, inventory, [](const std::string& name) { return name; })
            .at(0)
            .counted;
    };
    EXPECT_EQ(counted(inventoryOf({{"l.0.up", {1}}, {"l.1.up", {1}}})), "l.#.up");
    EXPECT_EQ(counted(inventoryOf({{"l.1.up", {1}}, {"l.2.up", {1}}})), "") << "not from 0";
}

TEST(HeaderFacts, ATensorThatIsThereSaysWhatKeysHold) {
    const auto rules = readConfigRules(
        *Json::parse(R"({"evidence": [{"tensor": "l.{i}.bias", "says": {"method": "a"}}]})"));
    const auto said = [&rules](const checkpoint::Inventory& inventory) {
        return gatherSayings(rules->evidence, inventory,
                             [](const std::string& name) { return name; });
    };
    EXPECT_TRUE(said(inventoryOf({{"l.0.x", {1}}})).empty());
    const auto one = said(inventoryOf({{"l.0.x", {1}}, {"l.1.bias", {1}}}));
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].key, "method");
    EXPECT_EQ(one[0].value, Json("a"));
    EXPECT_EQ(one[0].tensor, "l.1.bias");
}

}  // namespace fl::recipe
