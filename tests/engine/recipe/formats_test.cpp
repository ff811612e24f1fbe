// SPDX-License-Identifier: Apache-2.0
// Covers: engine/recipe/graph_builder.cpp
// How quantization_config decides what tensors a linear layer is made of (resources/lua/firstlight,
// formats.lua and packing.lua).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/recipe/recipe_set.h"
#include "tests/support/findings.h"

namespace fl::recipe {

// "name [stored shape]; companion [shape]; …" of the first down-projection, whose values are
// [64, 160]; behind them what the recipe had to say.
static std::string packed(const std::string& quantization,
                          const checkpoint::Inventory* inventory = nullptr) {
    Json config = *Json::parse(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
        "hidden_size": 64, "num_hidden_layers": 1, "vocab_size": 512, "num_attention_heads": 4,
        "max_position_embeddings": 2048, "intermediate_size": 160, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0})");
    config.set("quantization_config", *Json::parse(quantization));
    const auto recipe = RecipeSet::read(resourcesDir(), resourcesDir() + "/models/llama.lua");
    EXPECT_TRUE(recipe);
    const BuiltGraph built = buildGraph(resourcesDir(), *recipe, config, false, inventory);
    std::string out;
    for (const graph::Weight& weight : built.graph.weights) {
        const std::string front = "model.layers.0.mlp.down_proj.";
        if (!weight.tensor.starts_with(front))
            continue;
        out += weight.tensor.substr(front.size()) + " " + weight.storedShape().text();
        for (const graph::Companion& each : weight.packing.companions)
            out += "; " + each.tensor.substr(front.size()) + " " + each.shape.text();
    }
    return built.problems.empty() ? out : out + " " + test::codes(built.problems);
}

static std::string compressed(const std::string& format, const std::string& weights) {
    return packed(R"({"quant_method": "compressed-tensors", "format": ")" + format +
                  R"(", "ignore": ["lm_head"], "config_groups": {"group_0": {"weights": {)" +
                  weights + R"(, "symmetric": true}}}})");
}

TEST(Formats, BlocksOfFp8HaveAScaleEach) {
    EXPECT_EQ(packed(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"),
              "weight [64, 160]; weight_scale_inv [1, 2]");
}

TEST(Formats, WholeMatricesOfFp8HaveOneScale) {
    EXPECT_EQ(packed(R"({"quant_method": "fp8"})"), "weight [64, 160]; weight_scale []");
    EXPECT_EQ(packed(R"({"quant_method": "fp8", "activation_scheme": "static"})"),
              "weight [64, 160]; weight_scale []; input_scale []");
    EXPECT_EQ(packed(R"({"quant_method": "modelopt", "quant_algo": "FP8"})"),
              "weight [64, 160]; weight_scale []");
}

TEST(Formats, ScalesMayBeOfRowsWhereTheCheckpointHasThemSo) {
    checkpoint::Inventory inventory;
    inventory.add(
        {"model.layers.0.mlp.down_proj.weight_scale_inv", DType::F32, {64, 1}, 0, 0, 256});
    inventory.finish();
    EXPECT_EQ(packed(R"({"quant_method": "fp8"})", &inventory),
              "weight [64, 160]; weight_scale_inv [64, 1]");
}

TEST(Formats, CompressedTensorsComeInSeveralForms) {
    EXPECT_EQ(compressed("pack-quantized",
                         R"("num_bits": 4, "type": "int", "strategy": "group", "group_size": 32)"),
              "weight_packed [64, 20]; weight_scale [64, 5]; weight_shape [2]");
    EXPECT_EQ(
        compressed("mxfp4-pack-quantized",
                   R"("num_bits": 4, "type": "float", "strategy": "group", "group_size": 32)"),
        "weight_packed [64, 80]; weight_scale [64, 5]");
    EXPECT_EQ(compressed("nvfp4-pack-quantized", R"("num_bits": 4, "type": "float")"),
              "weight_packed [64, 80]; weight_scale [64, 10]; weight_global_scale []");
    EXPECT_EQ(compressed("float-quantized", R"("num_bits": 8, "type": "float")"),
              "weight [64, 160]; weight_scale []");
    EXPECT_EQ(compressed("int-quantized", R"("num_bits": 8, "type": "int")"),
              "weight [64, 160]; weight_scale []");
    EXPECT_EQ(compressed("marlin-24", R"("num_bits": 4, "type": "int")"),
              "weight [64, 160] config-unsupported");
}

TEST(Formats, WordsOfGptqAndAwqLieTheOtherWayRound) {
    EXPECT_EQ(packed(R"({"quant_method": "gptq", "bits": 4, "group_size": 32})"),
              "qweight [20, 64]; qzeros [5, 8]; scales [5, 64]");
    EXPECT_EQ(packed(R"({"quant_method": "gptq", "bits": 8, "group_size": -1})"),
              "qweight [40, 64]; qzeros [1, 16]; scales [1, 64]");
    EXPECT_EQ(packed(R"({"quant_method": "awq", "bits": 4, "group_size": 32})"),
              "qweight [160, 8]; qzeros [5, 8]; scales [5, 64]");
    EXPECT_EQ(packed(R"({"quant_method": "awq", "bits": 3, "group_size": 32})"),
              "qweight [160, 8]; qzeros [5, 8]; scales [5, 64] config-unsupported");
}

TEST(Formats, ModelOptKeepsPairsUnderThePlainName) {
    EXPECT_EQ(packed(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"),
              "weight [64, 80]; weight_scale [64, 10]; weight_scale_2 []");
}

TEST(Formats, WhatIsExceptedStaysPlain) {
    const std::string plain = "weight [64, 160]";
    EXPECT_EQ(
        packed(R"({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0.mlp"]})"),
        plain);
    EXPECT_EQ(packed(R"({"quant_method": "fp8", "ignored_layers": ["re:.*down_proj"]})"), plain);
    EXPECT_EQ(packed(R"({"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ["*down*"]})"),
              plain);
    EXPECT_NE(packed(R"({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0.ml"]})"),
              plain)
        << "a beginning of a name is no module";
}

}  // namespace fl::recipe
