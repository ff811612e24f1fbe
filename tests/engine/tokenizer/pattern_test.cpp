// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/pattern_syntax.cpp engine/tokenizer/known_characters.cpp
#include "engine/tokenizer/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fl::tokenizer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> found(const std::string& regex, const std::string& text) {
    const auto pattern = Pattern::regex(regex);
    if (!pattern)
        return {pattern.error().message};
    const auto spans = pattern->matches(text);
    if (!spans)
        return {spans.error().message};
    std::vector<std::string> texts;
    for (const Span& span : *spans)
        texts.push_back(text.substr(span.begin, span.end - span.begin));
    return texts;
}

std::string translated(const std::string& regex) {
    const auto pattern = toPcre(regex);
    return pattern ? *pattern : pattern.error().message;
}

TEST(Pattern, FindsMatchesFromLeftToRightAndSkipsEmptyOnes) {
    EXPECT_THAT(found("a*", "baab"), ElementsAre("aa"));
    EXPECT_THAT(found("\\p{L}+", "né 模型"), ElementsAre("né", "模型"));
    EXPECT_THAT(found("x", ""), IsEmpty());
}

TEST(Pattern, FoldsCaseByUnicode) {
    EXPECT_THAT(found("(?i:'s|'t)", "it's I\'T 'ſ ’s"), ElementsAre("'s", "'T", "'ſ"));
}

TEST(Pattern, TakesAScriptNameForTheScriptItself) {
    EXPECT_THAT(found("\\p{Han}+", "模、型"), ElementsAre("模", "型"));
}

TEST(Pattern, IntersectsClasses) {
    EXPECT_EQ(translated("[a-z&&[^m]]+x"), "(?:(?=[a-z])[^m])+x");
    EXPECT_EQ(translated("[a-z&&[^m]&&[^q]]"), "(?:(?=[a-z])(?=[^m])[^q])");
    EXPECT_THAT(found("[\\p{L}\\p{M}&&[^\\p{Han}]]+", "abc模é、x"), ElementsAre("abc", "é", "x"));
    for (const char* unclear : {"[^a&&[b]]", "[&&[b]]", "[a&&[b]c]", "[a&&[b]", "[a&&b]"})
        EXPECT_THAT(translated(unclear), HasSubstr("is not supported")) << unclear;
}

TEST(Pattern, ClassesCharactersNewerThanUnicode14) {
    EXPECT_THAT(found("\\p{So}", "\U0001FAE8"), ElementsAre("\U0001FAE8"));        // 15
    EXPECT_THAT(found("\\p{Lu}", "\u1C89"), ElementsAre("\u1C89"));                // 16
    EXPECT_THAT(found("\\p{Nd}+", "\U00010D40\U00010D41").size(), 1u);             // 16
    EXPECT_THAT(found("\\p{Han}+", "\U00031350模"), ElementsAre("\U00031350模"));  // 15
    EXPECT_THAT(found("\\s", "\u180E"), IsEmpty());
}

TEST(Pattern, TranslatesOniguruma) {
    EXPECT_EQ(translated("[\\h\\u3042]\\h"), "[0-9A-Fa-f\\x{3042}][0-9A-Fa-f]");
    EXPECT_EQ(translated("\\p{Letter}\\P{Script=Han}\\p{^L}\\p{Lu}\\pL"),
              "\\p{L}\\P{sc:Han}\\p{^L}\\p{Lu}\\pL");
    EXPECT_EQ(translated("[]\\]a-]b[^]c]"), "[]\\]a-]b[^]c]");
    EXPECT_THAT(translated("[a&&b]"), HasSubstr("intersection of classes at byte 2"));
    EXPECT_THAT(translated("[a[b]]"), HasSubstr("a class inside a class"));
    EXPECT_THAT(translated("a\\"), HasSubstr("backslash at the end"));
    EXPECT_THAT(translated("\\p{L"), HasSubstr("open property"));
    EXPECT_THAT(translated("\\u{12"), HasSubstr("incomplete code point"));
}

TEST(Pattern, NamesTheByteOfAMistake) {
    EXPECT_THAT(found("a(b", ""), ElementsAre(HasSubstr("at byte 3")));
    EXPECT_THAT(found("\\p{Klingon}", ""), ElementsAre(HasSubstr("does not compile")));
}

TEST(Pattern, TakesALiteralAsItIs) {
    const auto pattern = Pattern::literal("a.b");
    ASSERT_TRUE(pattern);
    const auto spans = pattern->matches("axb a.b");
    ASSERT_TRUE(spans);
    EXPECT_THAT(*spans, ElementsAre(Span{4, 7}));
    EXPECT_FALSE(Pattern::literal(""));
}

}  // namespace
}  // namespace fl::tokenizer
