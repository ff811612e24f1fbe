// SPDX-License-Identifier: Apache-2.0
// Covers: engine/recipe/nearest_recipe.cpp
#include "engine/recipe/recipe_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/model.h"
#include "tests/support/findings.h"
#include "tests/support/recipe_checkpoint.h"
#include "tests/support/temp_dir.h"

namespace fl::recipe {

static Json newConfig() {
    return *Json::parse(R"({"architectures": ["NovaForCausalLM"], "model_type": "nova",
        "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 512,
        "max_position_embeddings": 2048, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 16, "intermediate_size": 160, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
        "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
        "norm_topk_prob": true, "eos_token_id": 1, "attention_sink_size": 4})");
}

// The tensors of a Qwen3-MoE and one of its own.
static checkpoint::Inventory newTensors() {
    Json config = newConfig();
    const auto set = RecipeSet::open(resourcesDir());
    EXPECT_TRUE(set);
    const BuiltGraph built = buildGraph(resourcesDir(), *set->byName("qwen3_moe"), config, false);
    checkpoint::Inventory out;
    for (const test::TinyTensor& tensor : test::tensorsOf(built.graph, DType::BF16))
        out.add({tensor.name, tensor.dtype, tensor.shape, 0, 0, 2});
    for (const char* name : {"model.layers.0.self_attn.sinks", "model.layers.1.self_attn.sinks"})
        out.add({name, DType::F32, {4, 16}, 0, 0, 256});
    out.finish();
    return out;
}

TEST(NamePattern, NumbersAreALayerAndAnExpert) {
    EXPECT_EQ(namePattern("model.layers.12.mlp.experts.7.up_proj.weight"),
              "model.layers.{i}.mlp.experts.{}.up_proj.weight");
    EXPECT_EQ(namePattern("lm_head.weight"), "lm_head.weight");
    EXPECT_EQ(namePattern(""), "");
}

TEST(Likeness, TheRecipeOfTheSameTensorsIsNearest) {
    const auto set = RecipeSet::open(resourcesDir());
    ASSERT_TRUE(set);
    const auto measured = measureLikeness(*set, newConfig(), newTensors());
    ASSERT_GT(measured.size(), 1U);
    EXPECT_EQ(measured[0].recipe->name, "qwen3_moe");
    EXPECT_GT(measured[0].score, measured[1].score);
    EXPECT_EQ(measured[0].openTensors,
              std::vector<std::string>{"model.layers.{i}.self_attn.sinks"});
    EXPECT_EQ(measured[0].openKeys, std::vector<std::string>{"attention_sink_size"});
    // By keys alone it can as well be its elder, which has the same ones.
    EXPECT_THAT(measureLikeness(*set, newConfig(), {})[0].recipe->name,
                testing::AnyOf("qwen2_moe", "qwen3_moe"));
}

TEST(RecipeDraft, ItRunsAndListsWhatItDoesNotKnow) {
    const auto draft = draftRecipe(newConfig(), newTensors(), "");
    ASSERT_TRUE(draft) << draft.error().message;
    EXPECT_EQ(draft->name, "nova");
    EXPECT_EQ(draft->nearestName, "qwen3_moe");
    EXPECT_NE(draft->text.find("attention_sink_size = 4"), std::string::npos);
    EXPECT_NE(draft->text.find("model.layers.{i}.self_attn.sinks F32 [num_attention_heads"),
              std::string::npos)
        << draft->text;
    const test::TempDir folder;
    const std::string path = folder.path() + "/nova.lua";
    ASSERT_TRUE(saveDraft(*draft, path));
    EXPECT_FALSE(saveDraft(*draft, path)) << "somebody's work is there";
    EXPECT_FALSE(saveDraft(*draft, folder.path() + "/nova.txt"));
    const auto check = checkRecipe(path, newConfig());
    ASSERT_TRUE(check) << check.error().message;
    EXPECT_EQ(check->recipe, "nova");
    EXPECT_EQ(check->graph.layerCount, 2);
    EXPECT_EQ(test::codes(check->findings), "config-key-unknown");
}

TEST(RecipeDraft, TextsOfTheConfigurationCannotLeaveTheirQuotes) {
    Json config = newConfig();
    config.set("architectures", *Json::parse(R"(["X\" }, build = nil, --\nfoo"])"));
    const auto draft = draftRecipe(config, {}, "../../etc");
    ASSERT_TRUE(draft);
    EXPECT_EQ(draft->name, "______etc");
    const test::TempDir folder;
    ASSERT_TRUE(writeFile(folder.path() + "/x.lua", draft->text));
    EXPECT_TRUE(checkRecipe(folder.path() + "/x.lua", config));
    EXPECT_FALSE(draftRecipe(*Json::parse(R"({"hidden_size": 1})"), {}, ""));
    EXPECT_FALSE(draftRecipe(*Json::parse(R"({"architectures": {"a": 1}})"), {}, ""));
}

TEST(DimensionText, IsSaidInTheWordsOfTheConfiguration) {
    const Json config = newConfig();
    EXPECT_EQ(dimensionText(64, config).substr(0, 11), "hidden_size");
    EXPECT_EQ(dimensionText(160, config), "intermediate_size");
    EXPECT_EQ(dimensionText(1021, config), "1021");
    EXPECT_NE(dimensionText(80, config).find("hidden_size + head_dim"), std::string::npos);
}

}  // namespace fl::recipe
