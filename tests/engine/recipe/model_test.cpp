// SPDX-License-Identifier: Apache-2.0
// Covers: engine/recipe/gguf_config.cpp
#include "engine/recipe/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/graph/rope_frequencies.h"
#include "engine/recipe/recipe_set.h"
#include "tests/support/findings.h"
#include "tests/support/recipe_checkpoint.h"
#include "tests/support/temp_dir.h"

namespace fl::recipe {

using test::codes;
using test::findCode;

static const char* kLlama = R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 64,
    "num_hidden_layers": 2, "vocab_size": 512, "max_position_embeddings": 2048,
    "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 160,
    "tie_word_embeddings": true, "model_type": "llama", "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0, "eos_token_id": 2})";

static graph::Graph graphOf(const std::string& recipe, const Json& config, bool ggufNames) {
    const auto set = RecipeSet::open(resourcesDir());
    EXPECT_TRUE(set);
    BuiltGraph built = buildGraph(resourcesDir(), *set->byName(recipe), config, ggufNames);
    EXPECT_EQ(codes(built.problems), "");
    return built.graph;
}

static checkpoint::Checkpoint opened(const std::string& path) {
    auto checkpoint = checkpoint::openCheckpoint(path);
    EXPECT_TRUE(checkpoint) << (checkpoint ? "" : checkpoint.error().message);
    return checkpoint ? *std::move(checkpoint) : checkpoint::Checkpoint{};
}

TEST(Model, AHubFolderFindsItsRecipeAndMatches) {
    const test::TempDir folder;
    const auto tensors =
        test::tensorsOf(graphOf("llama", *Json::parse(kLlama), false), DType::BF16);
    test::writeHubFolder(folder.path(), tensors, 2, kLlama);
    const auto checkpoint = opened(folder.path());
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(codes(model->findings), "");
    EXPECT_EQ(model->recipe, "llama");
    EXPECT_EQ(model->architecture, "LlamaForCausalLM");
    EXPECT_EQ(model->contract.matched, static_cast<std::int64_t>(tensors.size()));
    EXPECT_EQ(model->tensors.size(), model->graph.weights.size());
}

TEST(Model, WhatOnlyTheRecipeCannotDoIsAWarningAndABlockerOfPlans) {
    const test::TempDir folder;
    Json config = *Json::parse(kLlama);
    const auto tensors = test::tensorsOf(graphOf("llama", config, false), DType::BF16);
    config.set("hidden_act", "gelu").set("use_flux_capacitor", true);
    test::writeHubFolder(folder.path(), tensors, 2, config.dump());
    const auto checkpoint = opened(folder.path());
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_FALSE(hasErrors(model->findings));
    EXPECT_EQ(findCode(model->findings, "config-unsupported").key, "hidden_act");
    EXPECT_EQ(findCode(model->findings, "config-key-unknown").severity, Severity::Warning);
    ASSERT_EQ(codes(model->unsupported), "config-unsupported");
    EXPECT_EQ(model->unsupported[0].severity, Severity::Error);
    EXPECT_EQ(model->contract.matched, static_cast<std::int64_t>(tensors.size()));
}

TEST(Model, AWrongNumberIsNamedWithWhatTheTensorsSay) {
    const test::TempDir folder;
    Json config = *Json::parse(kLlama);
    const auto tensors = test::tensorsOf(graphOf("llama", config, false), DType::BF16);
    config.set("intermediate_size", std::int64_t{1} << 40).set("num_key_value_heads", 4);
    test::writeHubFolder(folder.path(), tensors, 2, config.dump());
    const auto checkpoint = opened(folder.path());
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    const Finding range = findCode(model->findings, "config-value");
    EXPECT_EQ(range.key, "intermediate_size");
    EXPECT_EQ(range.expected.substr(0, 3), "160");
    const Finding heads = findCode(model->findings, "config-contradiction");
    EXPECT_EQ(heads.key, "num_key_value_heads");
    EXPECT_EQ(heads.expected.substr(0, 2), "2 ");
    // The tensors are still compared, by numbers that are of use.
    EXPECT_EQ(findCode(model->findings, "tensor-shape").found, "[32, 64]");
    EXPECT_EQ(model->graph.layerCount, 2);
}

static test::TinyGguf sparseGguf() {
    using namespace test;  // NOLINT(google-build-using-namespace): only literals follow
    TinyGguf file;
    file.pairs = {ggufString("general.architecture", "qwen3moe"),
                  ggufU32("qwen3moe.block_count", 2),
                  ggufU32("qwen3moe.embedding_length", 64),
                  ggufU32("qwen3moe.feed_forward_length", 128),
                  ggufU32("qwen3moe.context_length", 4096),
                  ggufU32("qwen3moe.attention.head_count", 4),
                  ggufU32("qwen3moe.attention.head_count_kv", 2),
                  ggufU32("qwen3moe.attention.key_length", 32),
                  ggufU32("qwen3moe.attention.value_length", 32),
                  ggufF32("qwen3moe.attention.layer_norm_rms_epsilon", 1e-6F),
                  ggufF32("qwen3moe.rope.freq_base", 1e6F),
                  ggufU32("qwen3moe.expert_count", 8),
                  ggufU32("qwen3moe.expert_used_count", 2),
                  ggufU32("qwen3moe.expert_feed_forward_length", 32),
                  ggufStrings("tokenizer.ggml.tokens", std::vector<std::string>(512, "x"))};
    const Json config = *Json::parse(R"({"hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 32, "max_position_embeddings": 4096, "vocab_size": 512, "num_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 32})");
    file.tensors = tensorsOf(graphOf("qwen3_moe", config, true), DType::Q8_0);
    return file;
}

TEST(Model, AGgufMapsToTheSameRecipeByItsTables) {
    const test::TempDir folder;
    const auto checkpoint =
        opened(test::writeTo(folder.path(), "m.gguf", test::ggufBytes(sparseGguf())));
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(codes(model->findings), "");
    EXPECT_EQ(model->recipe, "qwen3_moe");
    EXPECT_EQ(model->config["vocab_size"].integer(), 512);
    EXPECT_FALSE(model->config["tie_word_embeddings"].boolean(true));
    EXPECT_TRUE(model->config["norm_topk_prob"].boolean());
    for (std::size_t id = 0; id < model->graph.weights.size(); ++id) {
        const graph::Weight& weight = model->graph.weights[id];
        ASSERT_EQ(model->tensors[id].size(), static_cast<std::size_t>(weight.parts()));
        if (weight.experts > 0) {
            EXPECT_TRUE(weight.stacked()) << weight.tensor;
            EXPECT_EQ(model->tensors[id][7].offset - model->tensors[id][0].offset,
                      7 * model->stored[id].bytesPerTensor);
        }
    }
}

TEST(Model, AGgufKeyNobodyKnowsIsNamedAsTheFileSaysIt) {
    const test::TempDir folder;
    test::TinyGguf file = sparseGguf();
    file.pairs.push_back(test::ggufU32("qwen3moe.attention.sliding_window", 512));
    const auto checkpoint = opened(test::writeTo(folder.path(), "m.gguf", test::ggufBytes(file)));
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_EQ(findCode(model->findings, "config-key-unknown").key,
              "qwen3moe.attention.sliding_window");
}

static test::TinyGguf llamaGguf() {
    test::TinyGguf file;
    file.pairs = {test::ggufString("general.architecture", "llama"),
                  test::ggufU32("llama.block_count", 2),
                  test::ggufU32("llama.embedding_length", 64),
                  test::ggufU32("llama.feed_forward_length", 160),
                  test::ggufU32("llama.context_length", 2048),
                  test::ggufU32("llama.attention.head_count", 4),
                  test::ggufU32("llama.attention.head_count_kv", 2),
                  test::ggufF32("llama.attention.layer_norm_rms_epsilon", 1e-5F),
                  test::ggufU32("llama.rope.dimension_count", 16),
                  test::ggufU32("llama.vocab_size", 512)};
    file.tensors = test::tensorsOf(graphOf("llama", *Json::parse(kLlama), true), DType::Q8_0);
    return file;
}

TEST(Model, LlamaGgufTurnsNeighbouringPairs) {
    const test::TinyGguf file = llamaGguf();
    const test::TempDir folder;
    const auto checkpoint = opened(test::writeTo(folder.path(), "m.gguf", test::ggufBytes(file)));
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_EQ(codes(model->findings), "");
    EXPECT_TRUE(model->config["tie_word_embeddings"].boolean());  // no output.weight
    EXPECT_NE(graph::dump(model->graph).find("interleaved=1"), std::string::npos);
}

// As convert_hf_to_gguf.py writes them for llama3 (generate_extra_tensors of its LlamaModel).
static std::vector<float> llama3Factors(int rotary, double factor, double context) {
    constexpr double kLow = 1;
    constexpr double kHigh = 4;
    std::vector<float> out;
    for (int i = 0; i < rotary; i += 2) {
        const double wavelength = 2 * std::numbers::pi * std::pow(10000.0, double(i) / rotary);
        const double smooth = (context / wavelength - kLow) / (kHigh - kLow);
        const double stretched = wavelength > context / kLow ? factor
                                 : wavelength < context / kHigh
                                     ? 1
                                     : 1 / ((1 - smooth) / factor + smooth);
        out.push_back(static_cast<float>(stretched));
    }
    return out;
}

static const graph::Node& firstRope(const graph::Graph& graph) {
    return *std::find_if(graph.nodes.begin(), graph.nodes.end(),
                         [](const graph::Node& node) { return node.op == "rope"; });
}

TEST(Model, GgufFactorsOfFrequenciesAreLlama3Scaling) {
    Json config = *Json::parse(kLlama);
    config.set("rope_scaling", *Json::parse(R"({"rope_type": "llama3", "factor": 8.0,
        "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64})"));
    const graph::Graph expected = graphOf("llama", config, false);
    test::TinyGguf file = llamaGguf();
    file.tensors.push_back(
        test::tinyTensor("rope_freqs.weight", DType::F32, {8}, llama3Factors(16, 8, 64)));
    const test::TempDir folder;
    const auto checkpoint = opened(test::writeTo(folder.path(), "m.gguf", test::ggufBytes(file)));
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_EQ(codes(model->findings), "");
    EXPECT_EQ(model->contract.ignored, 1);
    const auto scaled = graph::ropeFrequencies(firstRope(expected));
    const auto found = graph::ropeFrequencies(firstRope(model->graph));
    ASSERT_EQ(found.size(), scaled.size());
    double farthest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        farthest = std::max(farthest, std::abs(double{found[i]} / scaled[i] - 1));
    RecordProperty("farthest", fmt::format("{:.1e}", farthest));
    EXPECT_LT(farthest, 5e-7) << farthest;  // a few steps of float32
}

TEST(Model, GgufFactorsOfAnotherNumberAreRefused) {
    test::TinyGguf file = llamaGguf();
    file.tensors.push_back(test::tinyTensor("rope_freqs.weight", DType::F32, {4}, {1, 1, 1, 1}));
    const test::TempDir folder;
    const auto checkpoint = opened(test::writeTo(folder.path(), "m.gguf", test::ggufBytes(file)));
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    ASSERT_EQ(codes(model->findings), "recipe-failed");
    EXPECT_NE(model->findings[0].message.find("8 frequency_factors"), std::string::npos)
        << model->findings[0].message;
}

TEST(Model, UnknownArchitecturesAndMissingConfigurationsAreFindings) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(), {test::patternTensor("w", DType::F32, {2, 2})}, 1,
                         R"({"architectures": ["MambaForCausalLM"]})");
    const auto checkpoint = opened(folder.path());
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_EQ(codes(model->findings), "architecture-unknown");
    EXPECT_TRUE(model->graph.nodes.empty());
    const test::TempDir bare;
    const std::string file =
        test::writeTo(bare.path(), "model.safetensors",
                      test::safetensorsBytes({test::patternTensor("w", DType::F32, {2, 2})}));
    const auto loose = opened(file);
    const auto nothing = buildModel(loose, "");
    ASSERT_TRUE(nothing);
    EXPECT_EQ(codes(nothing->findings), "config-missing");
}

TEST(Model, AnObjectInPlaceOfTheListOfArchitecturesIsAFinding) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(), {test::patternTensor("w", DType::F32, {2, 2})}, 1,
                         R"({"architectures": {"a": 1}, "model_type": "mamba"})");
    const auto checkpoint = opened(folder.path());
    const auto model = buildModel(checkpoint, "");
    ASSERT_TRUE(model);
    EXPECT_TRUE(hasErrors(model->findings));
    EXPECT_EQ(model->architecture, "mamba");
}

TEST(Model, StopsOnceCancelled) {
    const test::TempDir folder;
    const auto tensors =
        test::tensorsOf(graphOf("llama", *Json::parse(kLlama), false), DType::BF16);
    test::writeHubFolder(folder.path(), tensors, 1);
    test::writeTo(folder.path(), "config.json", kLlama);
    const checkpoint::Checkpoint checkpoint = opened(folder.path());
    CancelSource source;
    source.cancel();
    for (const std::string& recipe : {std::string(), resourcesDir() + "/models/llama.lua"}) {
        const auto model = buildModel(checkpoint, recipe, source.token());
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code, ErrorCode::Cancelled) << model.error().message;
    }
}

TEST(Model, AnUnknownRecipeNameIsAnError) {
    const checkpoint::Checkpoint checkpoint;
    const auto model = buildModel(checkpoint, "lama");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message, "no recipe 'lama' (nearest: llama, llama4)");
    EXPECT_FALSE(buildModel(checkpoint, "/nowhere/x.lua"));
}

TEST(CheckRecipe, ShowsTheGraphOfARecipeFile) {
    const auto check = checkRecipe(resourcesDir() + "/models/llama.lua", *Json::parse(kLlama));
    ASSERT_TRUE(check) << check.error().message;
    EXPECT_EQ(check->recipe, "llama");
    EXPECT_EQ(codes(check->findings), "");
    EXPECT_EQ(graph::distinctLayers(check->graph), 1);
    EXPECT_EQ(check->graph.states.size(), 2U);
}

TEST(CheckRecipe, HoldsTheConfigurationAgainstTheKeysOfTheRecipe) {
    const std::string llama = resourcesDir() + "/models/llama.lua";
    Json config = *Json::parse(kLlama);
    config.set("num_hidden_layers", "two");
    const auto check = checkRecipe(llama, config);
    ASSERT_TRUE(check) << check.error().message;
    ASSERT_EQ(codes(check->findings), "config-value");
    EXPECT_EQ(check->findings[0].key, "num_hidden_layers");
    const auto number = checkRecipe(llama, 5);
    ASSERT_FALSE(number);
    EXPECT_EQ(number.error().message, "the configuration holds a number, not an object with keys");
}

}  // namespace fl::recipe
