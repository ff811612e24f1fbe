// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/recipe_set.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "tests/support/findings.h"
#include "tests/support/temp_dir.h"

namespace fl::recipe {

using test::codes;
using test::findCode;

static Json smallConfig() {
    return *Json::parse(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 64,
        "num_hidden_layers": 2, "vocab_size": 512, "max_position_embeddings": 2048,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 160,
        "torch_dtype": "bfloat16", "_name_or_path": "somewhere", "rope_interleaved": false})");
}

static BuiltGraph build(const std::string& recipe, const Json& config) {
    const auto set = RecipeSet::open(resourcesDir());
    EXPECT_TRUE(set);
    const Recipe* found = set->byName(recipe);
    EXPECT_NE(found, nullptr);
    return buildGraph(resourcesDir(), *found, config, false);
}

TEST(RecipeSet, FindsByArchitectureTypeAndGguf) {
    const auto set = RecipeSet::open(resourcesDir());
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_TRUE(set->broken().empty());
    EXPECT_EQ(set->byConfig(*Json::parse(R"({"architectures": ["Qwen3MoeForCausalLM"]})"))->name,
              "qwen3_moe");
    EXPECT_EQ(set->byConfig(*Json::parse(R"({"model_type": "qwen2"})"))->name, "qwen2");
    // An unknown architecture is not replaced by what its type suggests.
    EXPECT_EQ(set->byConfig(
                  *Json::parse(R"({"architectures": ["LlamaForVideo"], "model_type": "llama"})")),
              nullptr);
    EXPECT_EQ(set->byGguf("qwen3moe")->name, "qwen3_moe");
    EXPECT_EQ(set->byGguf(""), nullptr);
}

TEST(RecipeSet, AnUnknownArchitectureNamesTheNearest) {
    const auto set = RecipeSet::open(resourcesDir());
    ASSERT_TRUE(set);
    const Finding finding = set->unknownArchitecture("LlamaForCausalLN");
    EXPECT_EQ(finding.code, "architecture-unknown");
    EXPECT_NE(finding.message.find("LlamaForCausalLM"), std::string::npos) << finding.message;
    EXPECT_FALSE(finding.remedy.empty());
}

TEST(BuildGraph, FillsInWhatAConfigurationLeavesOut) {
    const BuiltGraph built = build("llama", smallConfig());
    EXPECT_EQ(codes(built.problems), "");
    EXPECT_EQ(built.graph.layerCount, 2);
    EXPECT_NE(graph::dump(built.graph).find("head_dim=16"), std::string::npos);
    EXPECT_NE(graph::dump(built.graph).find("theta=10000"), std::string::npos);
}

TEST(BuildGraph, BothSpellingsOfRopeGiveTheSameGraph) {
    Json before = smallConfig();
    before.set("rope_theta", 500000.0);
    before.set("rope_scaling", *Json::parse(R"({"type": "linear", "factor": 2.0})"));
    Json after = smallConfig();
    after.set("rope_parameters",
              *Json::parse(R"({"rope_type": "linear", "factor": 2.0, "rope_theta": 500000.0})"));
    const BuiltGraph first = build("llama", before);
    EXPECT_EQ(codes(first.problems), "");
    EXPECT_EQ(graph::dump(first.graph), graph::dump(build("llama", after).graph));
}

TEST(BuildGraph, WhatTheRecipeCannotHonourIsSaidAllAtOnce) {
    Json config = smallConfig();
    config.set("hidden_act", "gelu");
    config.set("rope_scaling", *Json::parse(R"({"rope_type": "longrope", "factor": 4.0,
        "short_factor": [1, 1, 1, 1, 1, 1, 1, 1], "long_factor": [2, 2, 2, 2, 2, 2, 2, 2]})"));
    config.set("attention_sinks", 4);
    config.set("quantization_config", *Json::parse(R"({"quant_method": "hqq"})"));
    const BuiltGraph built = build("llama", config);
    EXPECT_FALSE(hasErrors(built.problems)) << "nothing is wrong with the checkpoint";
    ASSERT_EQ(codes(built.problems),
              "config-unsupported, config-unsupported, config-unsupported, config-key-unknown");
    EXPECT_EQ(built.problems[0].key, "rope_scaling.rope_type");
    EXPECT_EQ(built.problems[0].found, "'longrope'");
    EXPECT_EQ(built.problems[1].key, "hidden_act");
    EXPECT_EQ(built.problems[1].expected, "'silu'");
    EXPECT_EQ(built.problems[2].key, "quantization_config.quant_method");
    EXPECT_EQ(built.problems[3].key, "attention_sinks");
    for (const Finding& problem : built.problems)
        EXPECT_FALSE(problem.remedy.empty());
}

TEST(BuildGraph, RotationsAreCheckedWhateverTheRecipeComputes) {
    const struct {
        const char* scaling;
        const char* key;
        const char* found;
    } cases[] = {
        {R"({"rope_type": "nosuch", "factor": 2.0})", "rope_scaling.rope_type", "'nosuch'"},
        {R"({"factor": 2.0})", "rope_scaling", "no type"},
        {R"({"rope_type": "linear"})", "rope_scaling.factor", "no factor"},
        {R"({"rope_type": "linear", "factor": 0})", "rope_scaling.factor", "factor 0"},
        {R"({"rope_type": "linear", "factor": "2"})", "rope_scaling.factor", "factor is a string"},
        {R"({"rope_type": "linear", "type": "yarn", "factor": 2.0})", "rope_scaling",
         "two types: 'linear' and 'yarn'"},
        {R"({"rope_type": "yarn", "factor": 4.0})", "rope_scaling.original_max_position_embeddings",
         "no original_max_position_embeddings"},
        {R"({"rope_type": "longrope", "short_factor": [1.0], "long_factor": [1.0]})",
         "rope_scaling.long_factor", "1 factor for 8"},
    };
    for (const auto& each : cases) {
        Json config = smallConfig();
        config.set("rope_scaling", *Json::parse(each.scaling));
        bool named = false;
        for (const Finding& problem : build("llama", config).problems) {
            named = named || (problem.severity == Severity::Error && problem.key == each.key &&
                              problem.found == each.found);
        }
        EXPECT_TRUE(named) << each.scaling;
    }
}

TEST(BuildGraph, TwoDescriptionsOfARotationMustAgree) {
    Json config = smallConfig();
    config.set("rope_theta", 10000.0);
    config.set("rope_parameters", *Json::parse(R"({"rope_type": "default", "rope_theta": 5e5})"));
    const Finding twice = findCode(build("llama", config).problems, "config-value");
    EXPECT_EQ(twice.key, "rope_parameters.rope_theta");
    EXPECT_EQ(twice.expected, "10000.0");
    EXPECT_EQ(twice.found, "500000.0");
}

TEST(BuildGraph, SlidingWindowsAreRefusedOnlyWhenTheyAreOn) {
    Json config = smallConfig();
    config.set("use_sliding_window", false).set("sliding_window", 512).set("max_window_layers", 1);
    EXPECT_EQ(codes(build("qwen3", config).problems), "");
    config.set("use_sliding_window", true);
    EXPECT_EQ(codes(build("qwen3", config).problems), "config-unsupported");
    config.set("use_sliding_window", false);
    config.set("layer_types", *Json::parse(R"(["full_attention", "sliding_attention"])"));
    EXPECT_EQ(codes(build("qwen3", config).problems), "config-unsupported");
}

TEST(BuildGraph, LayersWithAWindowNeedItsWidth) {
    Json config = smallConfig();
    config.set("layer_types", *Json::parse(R"(["sliding_attention", "full_attention"])"));
    const BuiltGraph none = build("olmo2", config);
    EXPECT_EQ(codes(none.problems), "config-key-missing");
    EXPECT_EQ(findCode(none.problems, "config-key-missing").key, "sliding_window");
    config.set("sliding_window", 512);
    EXPECT_EQ(codes(build("olmo2", config).problems), "");
}

TEST(BuildGraph, MissingAndMistypedKeysAreNamed) {
    Json config = *Json::parse(R"({"num_hidden_layers": "two", "num_attention_heads": 0,
        "hidden_size": 64, "vocab_size": 512, "intermediate_size": 160})");
    const BuiltGraph built = build("llama", config);
    EXPECT_EQ(findCode(built.problems, "config-key-missing").key, "max_position_embeddings");
    EXPECT_EQ(codes(built.problems), "config-value, config-key-missing, config-value");
    EXPECT_EQ(findCode(built.problems, "config-value").found, "'two'");
}

TEST(RecipeSet, ABrokenRecipeIsNamedAndLeftOut) {
    const test::TempDir folder;
    const std::string models = folder.path() + "/models";
    std::filesystem::create_directories(models);
    std::filesystem::create_directory_symlink(resourcesDir() + "/lua", folder.path() + "/lua");
    ASSERT_TRUE(writeFile(models + "/good.lua",
                          "return { name = 'good', architectures = { 'Good' }, "
                          "build = function() end }"));
    ASSERT_TRUE(
        writeFile(models + "/bad.lua", "return {\n  name = 'bad',\n  build = nope.nope\n}"));
    const auto set = RecipeSet::open(folder.path());
    ASSERT_TRUE(set);
    ASSERT_EQ(set->recipes().size(), 1U);
    ASSERT_EQ(set->broken().size(), 1U);
    EXPECT_EQ(set->broken()[0].code, "recipe-failed");
    EXPECT_NE(set->broken()[0].message.find("bad.lua:3"), std::string::npos)
        << set->broken()[0].message;
    // A recipe that builds nothing says so.
    EXPECT_EQ(codes(buildGraph(folder.path(), set->recipes()[0], Json::object(), false).problems),
              "recipe-failed");
}

}  // namespace fl::recipe
