// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/chat_prompt.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fl::tokenizer {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}";

Json tokens() {
    Json made = Json::object();
    made.set("bos_token", "[B]");
    made.set("eos_token", "[E]");
    return made;
}

Json chat(const std::string& text) {
    auto parsed = Json::parse(text);
    EXPECT_TRUE(parsed);
    return *std::move(parsed);
}

std::string prompt(const std::string& chatTemplate,
                   const std::string& messages,
                   const ChatOptions& options = {}) {
    const auto text = renderChat(chatTemplate, tokens(), chat(messages), options);
    return text ? *text : "error: " + text.error().message;
}

ChatOptions continuing() {
    ChatOptions options;
    options.addGenerationPrompt = false;
    options.continueFinalMessage = true;
    return options;
}

TEST(ChatPrompt, PassesTokensAndTheGenerationPrompt) {
    const std::string messages = R"([{"role":"user","content":"Hi"}])";
    EXPECT_EQ(prompt(kTemplate, messages), "[B]<user>Hi[E]<assistant>");
    ChatOptions options;
    options.addGenerationPrompt = false;
    EXPECT_EQ(prompt(kTemplate, messages, options), "[B]<user>Hi[E]");
    options.variables = chat(R"({"thinking": false})");
    EXPECT_EQ(prompt("{{ thinking }}{{ tools is none }}", messages, options), "FalseTrue");
}

TEST(ChatPrompt, UsesTheTokenizersOwnTemplateAndTokens) {
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");
    const std::string root = std::string(data != nullptr ? data : "tests/data") + "/tokenizer/";
    const auto plain = Tokenizer::fromFolder(root + "plain");
    ASSERT_TRUE(plain);
    const auto text = renderChat(*plain, chat(R"([{"role":"user","content":"Hi"}])"));
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const auto bare = Tokenizer::fromFolder(root + "digits");
    ASSERT_TRUE(bare);
    const auto none = renderChat(*bare, chat(R"([{"role":"user","content":"Hi"}])"));
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("no chat template"));
}

TEST(ChatPrompt, ContinuesTheLastMessage) {
    EXPECT_EQ(prompt(kTemplate,
                     R"([{"role":"user","content":"Hi"},{"role":"assistant","content":"One, "}])",
                     continuing()),
              "[B]<user>Hi[E]<assistant>One, ");
    EXPECT_EQ(prompt("{{ messages[-1].content | trim }}!",
                     R"([{"role":"assistant","content":"One, "}])", continuing()),
              "One,");
    EXPECT_EQ(
        prompt("{{ messages[-1].content[1].text }}!",
               R"([{"role":"assistant","content":[{"type":"image"},{"text":"a"}]}])", continuing()),
        "a");
    EXPECT_THAT(prompt("no content", R"([{"role":"assistant","content":"a"}])", continuing()),
                HasSubstr("does not show the last message"));
}

TEST(ChatPrompt, DropsNullsAndNamesReasoningForEveryTemplate) {
    EXPECT_EQ(prompt("{{ messages[0].content is defined }}{{ messages[0].reasoning_content }}"
                     "{{ messages[0].thinking }}",
                     R"([{"role":"assistant","content":null,"reasoning":"r"}])"),
              "Falserr");
}

TEST(ChatPrompt, NamesWhatIsWrongWithTheMessages) {
    EXPECT_THAT(prompt(kTemplate, "[]"), HasSubstr("there are no messages"));
    EXPECT_THAT(prompt(kTemplate, "{}"), HasSubstr("messages are an object"));
    EXPECT_THAT(prompt(kTemplate, "[1]"), HasSubstr("message 0 is a number"));
    EXPECT_THAT(prompt(kTemplate, R"([{"role":"user"},{"content":"x"}])"),
                HasSubstr("message 1 has no role"));
    ChatOptions both;
    both.continueFinalMessage = true;
    EXPECT_THAT(prompt(kTemplate, R"([{"role":"user","content":"x"}])", both),
                HasSubstr("cannot both"));
}

}  // namespace
}  // namespace fl::tokenizer
