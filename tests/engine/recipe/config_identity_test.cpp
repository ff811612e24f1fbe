// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_identity.h"

#include <gtest/gtest.h>

#include "tests/support/findings.h"

namespace fl::recipe {

using test::codes;

static checkpoint::Checkpoint bf16Checkpoint(const char* config) {
    checkpoint::Checkpoint out;
    out.inventory.add({"a.weight", DType::BF16, {8, 8}, 0, 0, 128});
    out.inventory.finish();
    out.config = *Json::parse(config);
    return out;
}

static std::vector<Finding> checked(const char* config) {
    Recipe recipe;
    recipe.name = "llama";
    recipe.architectures = {"LlamaForCausalLM"};
    recipe.modelTypes = {"llama"};
    return checkIdentity(bf16Checkpoint(config), &recipe);
}

TEST(ConfigIdentity, AConfigurationThatAgreesWithItselfPasses) {
    EXPECT_EQ(codes(checked(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                                "torch_dtype": "bfloat16"})")),
              "");
}

TEST(ConfigIdentity, TheArchitectureIsOneTextInAList) {
    for (const char* bad : {"[]", "[1]", "\"LlamaForCausalLM\"", "[\"LlamaForCausalLM\", \"X\"]"}) {
        const auto found = checked(
            (std::string(R"({"model_type": "llama", "architectures": )") + bad + "}").c_str());
        ASSERT_EQ(codes(found), "config-value") << bad;
        EXPECT_EQ(found[0].key, "architectures");
        EXPECT_EQ(found[0].expected, "['LlamaForCausalLM']");
    }
    const auto absent = checked(R"({"model_type": "llama"})");
    ASSERT_EQ(codes(absent), "config-key-missing");
    EXPECT_EQ(absent[0].severity, Severity::Warning);
}

TEST(ConfigIdentity, TheModelTypeIsThatOfTheArchitecture) {
    const auto other = checked(R"({"architectures": ["LlamaForCausalLM"], "model_type": "qwen2"})");
    ASSERT_EQ(codes(other), "config-contradiction");
    EXPECT_EQ(other[0].found, "'qwen2'");
    EXPECT_EQ(codes(checked(R"({"architectures": ["LlamaForCausalLM"]})")), "config-key-missing");
}

TEST(ConfigIdentity, CodeOfTheCheckpointIsNamedAndNeverRun) {
    const auto found = checked(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
        "auto_map": {"AutoModel": "modeling_x.XModel"}})");
    ASSERT_EQ(codes(found), "remote-code");
    EXPECT_EQ(found[0].severity, Severity::Warning);
    EXPECT_EQ(found[0].found, "modeling_x.py (never run)");
}

TEST(ConfigIdentity, TheStoredTypeIsTheHeaders) {
    const char* base = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", )";
    auto found = checked((std::string(base) + R"("torch_dtype": "float32"})").c_str());
    ASSERT_EQ(codes(found), "config-contradiction");
    EXPECT_EQ(found[0].expected, "bfloat16 (headers)");
    found =
        checked((std::string(base) + R"("torch_dtype": "bfloat16", "dtype": "float16"})").c_str());
    ASSERT_EQ(codes(found), "config-contradiction, config-contradiction");
    EXPECT_EQ(found[0].expected, "bfloat16 (torch_dtype)");
}

TEST(ConfigIdentity, QuantisedWeightsMustBeDeclaredWhereItIsRead) {
    checkpoint::Checkpoint checkpoint = bf16Checkpoint(
        R"({"architectures": ["X"], "compression_config": {"quant_method": "fp8"}})");
    checkpoint.inventory.add({"b.weight", DType::F8E4M3, {8, 8}, 0, 0, 64});
    checkpoint.inventory.finish();
    const auto found = checkIdentity(checkpoint, nullptr);
    ASSERT_EQ(codes(found), "quantization-undeclared");
    EXPECT_EQ(found[0].found, "compression_config");
    EXPECT_NE(found[0].expected.find("F8_E4M3"), std::string::npos);
}

TEST(ConfigNesting, TheDescriptionLiesWhereTheRecipeReadsItAndOnlyThere) {
    ConfigRules rules;
    rules.root = "text_config";
    rules.keys.emplace_back().key = "hidden_size";
    const auto nested = [&rules](const char* config) {
        return checkNesting(*Json::parse(config), rules, "config.json");
    };
    EXPECT_EQ(codes(nested(R"({"text_config": {"hidden_size": 4}})")), "");
    for (const char* bad : {"{}", R"({"text_config": null})", R"({"text_config": []})",
                            R"({"text_config": {}})", R"({"text_config": "x"})"}) {
        const auto found = nested(bad);
        ASSERT_EQ(codes(found), "config-key-missing") << bad;
        EXPECT_EQ(found[0].key, "text_config");
    }
    const auto twice = nested(R"({"text_config": {"hidden_size": 4}, "hidden_size": 8})");
    ASSERT_EQ(codes(twice), "config-contradiction");
    EXPECT_EQ(twice[0].found, "8 against 4");
}

}  // namespace fl::recipe
