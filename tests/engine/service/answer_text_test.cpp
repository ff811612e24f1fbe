// SPDX-License-Identifier: Apache-2.0
#include "engine/service/answer_text.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

// The tokenizer of the tiny model has every byte as a token.
class AnswerTextTest : public testing::Test {
protected:
    AnswerTextTest()
        : tokenizer_(*tokenizer::Tokenizer::fromFolder(
              std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/tiny-llama")) {}

    // Pieces as they are shown, divided by '|'.
    std::string shown(const std::string& text, const std::vector<std::string>& stops) {
        AnswerText answer(&tokenizer_, stops);
        std::string out;
        const auto ids = tokenizer_.encode(text, {});
        for (const auto id : *ids) {
            if (const std::string piece = answer.push(id); !piece.empty())
                out += piece + "|";
        }
        stopped_ = answer.stopped();
        return out + answer.flush();
    }

    tokenizer::Tokenizer tokenizer_;
    bool stopped_ = false;
};

std::string joined(std::string text) {
    std::erase(text, '|');
    return text;
}

TEST_F(AnswerTextTest, ShowsEverythingWithoutStops) {
    EXPECT_EQ(joined(shown("one two three", {})), "one two three");
    EXPECT_FALSE(stopped_);
}

TEST_F(AnswerTextTest, LeavesAStopStringAndAllBehindItOut) {
    EXPECT_EQ(joined(shown("one END two", {"END"})), "one ");
    EXPECT_TRUE(stopped_);
    EXPECT_EQ(joined(shown("one two", {"two", "one"})), "");
}

TEST_F(AnswerTextTest, NeverShowsTheBeginningOfAStopString) {
    EXPECT_EQ(joined(shown("a ENDE", {"ENDX", "ENDE"})), "a ");
    EXPECT_TRUE(stopped_);
    EXPECT_EQ(joined(shown("aaab", {"aab"})), "a");
}

TEST_F(AnswerTextTest, GivesBackWhatOnlyLookedLikeAStopString) {
    EXPECT_EQ(joined(shown("one EN two", {"END"})), "one EN two");
    EXPECT_EQ(joined(shown("one EN", {"END"})), "one EN");
    EXPECT_FALSE(stopped_);
}

TEST_F(AnswerTextTest, NeverShowsHalfACharacter) {
    EXPECT_EQ(joined(shown("模型 is loaded", {})), "模型 is loaded");
}

TEST_F(AnswerTextTest, HasNoTextWithoutATokenizer) {
    AnswerText answer(nullptr, {"x"});
    EXPECT_EQ(answer.push(3), "");
    EXPECT_EQ(answer.flush(), "");
}

}  // namespace
}  // namespace fl::service
