// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_quantization.h"

#include <gtest/gtest.h>

#include "tests/support/findings.h"

namespace fl::recipe {

using test::codes;

static checkpoint::Inventory fp8Inventory() {
    checkpoint::Inventory out;
    out.add({"model.layers.0.mlp.up.weight", DType::F8E4M3, {256, 384}, 0, 0, 1});
    out.add({"model.layers.0.mlp.up.weight_scale_inv", DType::F32, {2, 3}, 0, 0, 24});
    out.add({"lm_head.weight", DType::BF16, {8, 8}, 0, 0, 128});
    out.finish();
    return out;
}

static std::vector<Finding> checked(const std::string& table) {
    return checkQuantization(*Json::parse(R"({"quantization_config": )" + table + "}"), "",
                             fp8Inventory());
}

TEST(ConfigQuantization, WhatTheHeadersShowPasses) {
    EXPECT_EQ(codes(checked(R"({"quant_method": "fp8", "fmt": "e4m3",
        "activation_scheme": "dynamic", "weight_block_size": [128, 128],
        "modules_to_not_convert": ["lm_head"], "ignored_layers": ["re:.*head"]})")),
              "");
    EXPECT_EQ(codes(checked("null")), "");
}

TEST(ConfigQuantization, EveryMemberIsHeldAgainstHeadersAndKnownWords) {
    const struct {
        const char* table;
        const char* key;
    } cases[] = {
        {"{}", ""},
        {"\"fp8\"", ""},
        {R"({"fmt": "e4m3"})", ".quant_method"},
        {R"({"quant_method": "gptq"})", ".quant_method"},
        {R"({"quant_method": "nosuch"})", ".quant_method"},
        {R"({"quant_method": "fp8", "fmt": "e5m2"})", ".fmt"},
        {R"({"quant_method": "fp8", "activation_scheme": "x"})", ".activation_scheme"},
        {R"({"quant_method": "fp8", "weight_block_size": [128]})", ".weight_block_size"},
        {R"({"quant_method": "fp8", "weight_block_size": [0, 128]})", ".weight_block_size"},
        {R"({"quant_method": "fp8", "weight_block_size": [1, 128]})", ".weight_block_size"},
        {R"({"quant_method": "fp8", "ignored_layers": ["lm_heaad"]})", ".ignored_layers"},
        {R"({"quant_method": "fp8", "ignored_layers": ["mlp.up"]})", ".ignored_layers"},
        {R"({"quant_method": "fp8", "ignored_layers": ["re:("]})", ".ignored_layers"},
        {R"({"quant_method": "fp8", "ignored_layers": "lm_head"})", ".ignored_layers"},
    };
    for (const auto& each : cases) {
        const auto found = checked(each.table);
        ASSERT_EQ(found.size(), 1U) << each.table << codes(found);
        EXPECT_EQ(found[0].key, std::string("quantization_config") + each.key) << each.table;
        EXPECT_FALSE(found[0].expected.empty());
        EXPECT_FALSE(found[0].found.empty());
    }
}

// Kimi K2.5 packs its experts and keeps the dense layer's matrices.
TEST(ConfigQuantization, AlternativesInAPatternAreTakenAtTheirWord) {
    checkpoint::Inventory inventory;
    inventory.add({"layers.0.mlp.down_proj.weight", DType::BF16, {8, 8}, 0, 0, 128});
    inventory.add({"layers.1.mlp.experts.0.down_proj.weight_packed", DType::I32, {8, 1}, 0, 0, 32});
    inventory.finish();
    const auto with = [&inventory](const std::string& pattern) {
        Json table = Json::object();
        table.set("quant_method", "compressed-tensors");
        table.set("format", "pack-quantized");
        table.set("ignore", Json(Json::Array{Json(pattern)}));
        Json config = Json::object();
        config.set("quantization_config", std::move(table));
        return codes(checkQuantization(config, "", inventory));
    };
    EXPECT_EQ(with("re:.*mlp\\.(gate|up|gate_up|down)_proj.*"), "");
    EXPECT_EQ(with("re:.*(gate|down)_proj.*"), "config-contradiction");
    EXPECT_EQ(with("re:.*mlp\\.(gate|up)_proj.*"), "config-contradiction");  // names nothing
    EXPECT_EQ(with("re:.*mlp\\.(gate|down_proj.*"), "config-value");
    EXPECT_EQ(with("re:(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)down_proj"),
              "config-contradiction");
}

TEST(ConfigQuantization, BlocksThatTheScalesShowAreNamed) {
    const auto found = checked(R"({"quant_method": "fp8", "weight_block_size": [64, 64]})");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].expected, "[128, 128] (scale shapes)");
    EXPECT_EQ(found[0].found, "[64, 64]");
}

TEST(ConfigQuantization, TwoDescriptionsMustAgree) {
    const Json config = *Json::parse(R"({"quantization_config": {"quant_method": "fp8"},
        "text_config": {"quantization_config": {"quant_method": "awq"}}})");
    const auto found = checkQuantization(config, "text_config", fp8Inventory());
    ASSERT_EQ(codes(found), "config-contradiction");
    EXPECT_EQ(found[0].key, "text_config.quantization_config");
}

}  // namespace fl::recipe
