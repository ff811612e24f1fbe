// SPDX-License-Identifier: Apache-2.0
// Tokenizer files that would hang, overflow or grow without end: refused, and the reason is said.
// Covers: engine/tokenizer/tokenizer_json.cpp engine/tokenizer/normalizer.cpp
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/temp_dir.h"

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// A BPE over the characters a and b with the unknown token ? and these members more.
std::string fileWith(const std::string& members,
                     const std::string& vocab = R"("?":0,"a":1,"b":2)",
                     const std::string& model = "") {
    return R"({"model":{"type":"BPE","unk_token":"?","vocab":{)" + vocab + R"(},"merges":[])" +
           model + R"(},"decoder":{"type":"Fuse"})" + members + "}";
}

Result<Tokenizer> load(const std::string& text) {
    const test::TempDir folder;
    EXPECT_TRUE(writeFile(folder / "tokenizer.json", text));
    return Tokenizer::fromFolder(folder.path());
}

std::string refusal(const std::string& text) {
    const auto tokenizer = load(text);
    return tokenizer ? "taken" : tokenizer.error().message;
}

std::string repeated(const std::string& text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += (i > 0 ? "," : "") + text;
    return out;
}

TEST(HostileFiles, AMetaspaceNeedsItsMark) {
    std::string file = fileWith("");
    file.replace(file.find(R"({"type":"Fuse"})"), 15, R"({"type":"Metaspace","replacement":null})");
    EXPECT_THAT(refusal(file), HasSubstr("decoder Metaspace has no replacement"));
}

TEST(HostileFiles, PatternsCannotCutCharacters) {
    EXPECT_THAT(
        refusal(fileWith(
            R"(,"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\C"},"behavior":"Isolated"})")),
        HasSubstr("does not compile"));
}

TEST(HostileFiles, StepsAreCountedAndTheirGrowthToo) {
    const std::string step = R"({"type":"Replace","pattern":{"String":"a"},"content":"aaaa"})";
    const auto normalizer = [&](int count) {
        return fileWith(R"(,"normalizer":{"type":"Sequence","normalizers":[)" +
                        repeated(step, count) + "]}");
    };
    EXPECT_THAT(refusal(normalizer(65)), HasSubstr("more than 64 steps"));
    const auto tokenizer = load(normalizer(16));
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto ids = tokenizer->encode("a", {});
    ASSERT_FALSE(ids);
    EXPECT_THAT(ids.error().message, HasSubstr("the normalizer makes more than"));
    const std::string digits = repeated(R"({"type":"Digits"})", 65);
    EXPECT_THAT(refusal(fileWith(R"(,"pre_tokenizer":{"type":"Sequence","pretokenizers":[)" +
                                 digits + "]}")),
                HasSubstr("more than 64 stages"));
}

TEST(HostileFiles, IdsAreNotCutTo32Bits) {
    EXPECT_THAT(refusal(fileWith(R"(,"added_tokens":[{"content":"<x>","id":4294967301}])")),
                HasSubstr("has the id 4294967301"));
    EXPECT_THAT(refusal(fileWith("", R"("?":0,"a":4294967297)")),
                HasSubstr("has the id 4294967297"));
}

TEST(HostileFiles, LongWordsAreReadAsShortOnesAre) {
    std::string vocab = R"("?":0,"a":1)";
    vocab += R"(,"<0x62>":2)";  // the byte of b, and of no other
    const auto tokenizer = load(fileWith("", vocab, R"(,"byte_fallback":true)"));
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto once = tokenizer->encode("zba", {});
    ASSERT_TRUE(once);
    std::string word;
    std::vector<TokenId> expected;
    for (int i = 0; i < 30; ++i) {
        word += "zba";
        expected.insert(expected.end(), once->begin(), once->end());
    }
    const auto ids = tokenizer->encode(word, {});
    ASSERT_TRUE(ids);
    EXPECT_THAT(*ids, ElementsAreArray(expected));
}

}  // namespace
}  // namespace fl::tokenizer
