// SPDX-License-Identifier: Apache-2.0
#include "engine/service/config_companions.h"

#include <gtest/gtest.h>

namespace fl::service {

// What is expected of a key of which `expected` was known.
static std::string completed(const char* key,
                             const char* expected,
                             const char* file = "config.json",
                             const char* code = "config-value") {
    tokenizer::SaidByTokenizer said;
    said.tokens["eos_token_id"] = {"</s>", 2};
    said.longest = 512;
    std::vector<Finding> findings(1);
    findings[0].code = code;
    findings[0].file = file;
    findings[0].key = key;
    findings[0].expected = expected;
    completeFromCompanions(findings, said, *Json::parse(R"({"bos_token_id": [1, 3]})"));
    return findings[0].expected;
}

TEST(ConfigCompanions, SayWhatAWrongKeyShouldBe) {
    EXPECT_EQ(completed("eos_token_id", "below 8"), "2 (</s> of the tokenizer), below 8");
    EXPECT_EQ(completed("text_config.eos_token_id", ""), "2 (</s> of the tokenizer)");
    EXPECT_EQ(completed("max_position_embeddings", "at least 1"),
              "512 (model_max_length of tokenizer_config.json), at least 1");
    EXPECT_EQ(completed("bos_token_id", "below 8"), "[1,3] (generation_config.json), below 8");
}

TEST(ConfigCompanions, LeaveOtherFindingsAlone) {
    EXPECT_EQ(completed("pad_token_id", "below 8"), "below 8");
    EXPECT_EQ(completed("hidden_size", "32"), "32");
    EXPECT_EQ(completed("eos_token_id", "x", "generation_config.json"), "x");
    EXPECT_EQ(completed("eos_token_id", "x", "config.json", "token-unknown"), "x");
}

}  // namespace fl::service
