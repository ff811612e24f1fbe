// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAre;

PreTokenizer::Sink into(std::vector<std::string>& out) {
    return [&out](std::string_view piece) -> Status {
        out.emplace_back(piece);
        return Done{};
    };
}

std::vector<std::string> pieces(const std::string& behavior,
                                const std::string& text,
                                bool invert = false) {
    const auto description = Json::parse(
        R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"String":"-"},"behavior":")" +
        behavior + R"(","invert":)" + (invert ? "true" : "false") +
        R"(},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})");
    const auto made = PreTokenizer::fromJson(*description);
    if (!made)
        return {made.error().message};
    std::vector<std::string> out;
    const Status done = made->split(text, true, into(out));
    return done ? out : std::vector<std::string>{done.error().message};
}

// The table in the tokenizers library's documentation of SplitDelimiterBehavior.
TEST(PreTokenizer, SplitsByEveryBehavior) {
    const std::string text = "the-final--countdown";
    EXPECT_THAT(pieces("Removed", text), ElementsAre("the", "final", "countdown"));
    EXPECT_THAT(pieces("Isolated", text), ElementsAre("the", "-", "final", "-", "-", "countdown"));
    EXPECT_THAT(pieces("MergedWithPrevious", text),
                ElementsAre("the-", "final-", "-", "countdown"));
    EXPECT_THAT(pieces("MergedWithNext", text), ElementsAre("the", "-final", "-", "-countdown"));
    EXPECT_THAT(pieces("Contiguous", text), ElementsAre("the", "-", "final", "--", "countdown"));
    EXPECT_THAT(pieces("Removed", text, true), ElementsAre("-", "-", "-"));
}

TEST(PreTokenizer, PutsASpaceBeforeEveryPieceThatHasNone) {
    const auto description = Json::parse(
        R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":false},
            {"type":"ByteLevel","add_prefix_space":true,"use_regex":false}]})");
    const auto made = PreTokenizer::fromJson(*description);
    ASSERT_TRUE(made);
    std::vector<std::string> out;
    ASSERT_TRUE(made->split("a12 b", true, into(out)));
    EXPECT_THAT(out, ElementsAre(" a", " 12", " b"));
}

TEST(PreTokenizer, RefusesASplitBehindByteLevel) {
    const auto description = Json::parse(
        R"({"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"Digits"}]})");
    const auto made = PreTokenizer::fromJson(*description);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "pre_tokenizer 'Digits' after ByteLevel is not supported");
}

}  // namespace
}  // namespace fl::tokenizer
