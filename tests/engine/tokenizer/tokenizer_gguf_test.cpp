// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The 256 bytes, "he", "llo" and two marked tokens.
Json metadata() {
    Json tokens = Json::array();
    Json types = Json::array();
    for (int byte = 0; byte < 256; ++byte) {
        tokens.push(byteSpelling(static_cast<unsigned char>(byte)));
        types.push(1);
    }
    for (const char* token : {"he", "ll", "llo", "11"}) {
        tokens.push(token);
        types.push(1);
    }
    tokens.push("<|end|>").push("<tool>");
    types.push(3).push(4);
    Json made = Json::object();
    made.set("tokenizer.ggml.model", "gpt2");
    made.set("tokenizer.ggml.pre", "smollm");
    made.set("tokenizer.ggml.tokens", tokens);
    made.set("tokenizer.ggml.token_type", types);
    made.set("tokenizer.ggml.merges",
             Json::array().push("h e").push("l l").push("ll o").push("1 1"));
    made.set("tokenizer.ggml.bos_token_id", 260);
    made.set("tokenizer.ggml.eos_token_id", 260);
    made.set("tokenizer.ggml.add_bos_token", true);
    made.set("tokenizer.chat_template", "{{ messages }}");
    return made;
}

std::string errorOf(const Json& keys) {
    const auto tokenizer = Tokenizer::fromGguf(keys);
    return tokenizer ? "loaded" : tokenizer.error().message;
}

TEST(GgufTokenizer, MergesAndSplitsAsItsNameSays) {
    const auto tokenizer = Tokenizer::fromGguf(metadata());
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto ids = tokenizer->encode("hello<|end|>11<tool>", {Special::Parse, true});
    ASSERT_TRUE(ids);
    // Single digits: the merge of "11" is never reached.
    EXPECT_THAT(*ids, ElementsAre(260, 256, 258, 260, '1', '1', 261));
    EXPECT_EQ(tokenizer->decode(*ids, true), "hello11<tool>");
    EXPECT_THAT(tokenizer->eos(), ElementsAre(260));
    EXPECT_EQ(tokenizer->chatTemplate(), "{{ messages }}");
}

TEST(GgufTokenizer, NamesAnUnknownSplitAndTheKnownOnes) {
    Json keys = metadata();
    keys.set("tokenizer.ggml.pre", "klingon");
    EXPECT_THAT(errorOf(keys), HasSubstr("'klingon'"));
    EXPECT_THAT(errorOf(keys), HasSubstr("qwen2"));
}

TEST(GgufTokenizer, NamesWhatIsWrongWithTheKeys) {
    EXPECT_THAT(errorOf(Json::object()), HasSubstr("no key tokenizer.ggml.model"));
    Json keys = metadata();
    keys.set("tokenizer.ggml.model", "rwkv");
    EXPECT_THAT(errorOf(keys), HasSubstr("'rwkv'"));
    keys.set("tokenizer.ggml.model", "llama");
    EXPECT_THAT(errorOf(keys), HasSubstr("tokenizer.ggml.scores is missing"));
    keys = metadata();
    keys.set("tokenizer.ggml.token_type", Json::array().push(1));
    EXPECT_THAT(errorOf(keys), HasSubstr("1 entries for 262 tokens"));
    keys = metadata();
    keys.set("tokenizer.ggml.merges", Json::array().push("hello"));
    EXPECT_THAT(errorOf(keys), HasSubstr("'hello' is not two tokens"));
    keys = metadata();
    keys.set("tokenizer.ggml.tokens", Json());
    EXPECT_THAT(errorOf(keys), HasSubstr("tokenizer.ggml.tokens"));
}

}  // namespace
}  // namespace fl::tokenizer
