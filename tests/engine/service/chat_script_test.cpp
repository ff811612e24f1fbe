// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/python_text.cpp
#include "engine/service/chat_script.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "tests/support/reference.h"

namespace fl::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Json parsed(const std::string& text) {
    auto json = Json::parse(text);
    EXPECT_TRUE(json) << text;
    return json ? *std::move(json) : Json();
}

Result<std::vector<PromptPart>> run(const std::string& module,
                                    const std::string& messages,
                                    const std::string& options = "{}",
                                    Json tools = {}) {
    return runChatScript(resourcesDir(), "firstlight." + module,
                         {parsed(messages), std::move(tools), parsed(options), true});
}

std::string textOf(const std::vector<PromptPart>& parts) {
    std::string out;
    for (const PromptPart& part : parts)
        out += part.text;
    return out;
}

// The cases of a folder that come out otherwise.
std::string departures(const std::string& folder, const std::string& module) {
    const auto lines =
        readFile(test::referenceDir() + "/text/templates/" + folder + "/cases.jsonl");
    if (!lines)
        return lines.error().message;
    std::istringstream stream(*lines);
    std::string wrong;
    int count = 0;
    for (std::string line; std::getline(stream, line);) {
        const Json golden = parsed(line);
        ++count;
        Json options = golden["options"];
        const bool generate =
            !options.find("add_generation_prompt") || options["add_generation_prompt"].boolean();
        const auto parts = runChatScript(resourcesDir(), "firstlight." + module,
                                         {golden["messages"], options["tools"], options, generate});
        if (golden.find("error") != nullptr) {
            if (parts)
                wrong += golden["id"].string() + " should fail\n";
            continue;
        }
        if (!parts) {
            wrong += golden["id"].string() + ": " + parts.error().message + "\n";
            continue;
        }
        if (textOf(*parts) != golden["rendered"].string())
            wrong += golden["id"].string() + ": " + Json(textOf(*parts)).dump() + "\n";
        if (golden.find("segments") == nullptr)
            continue;
        Json segments = Json::array();
        for (const PromptPart& part : *parts)
            segments.push(Json::array().push(part.text).push(part.control));
        if (segments.dump() != golden["segments"].dump())
            wrong += golden["id"].string() + ": other segments\n";
    }
    return count > 50 ? wrong : "too few cases";
}

TEST(ChatScript, WritesEachReferenceCase) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    EXPECT_EQ(departures("deepseek-v3.2", "chat_deepseek_three"), "");
    EXPECT_EQ(departures("deepseek-v4", "chat_deepseek_four"), "");
    EXPECT_EQ(departures("kimi-k3", "chat_kimi_three"), "");
}

TEST(ChatScript, OpensTheAnswerAsTheModeWants) {
    const std::string hi = R"([{"role": "user", "content": "Hi!"}])";
    const auto chat = run("chat_deepseek_four", hi);
    ASSERT_TRUE(chat) << chat.error().message;
    EXPECT_EQ(textOf(*chat), "<｜begin▁of▁sentence｜><｜User｜>Hi!<｜Assistant｜></think>");
    const auto thinking = run("chat_deepseek_three", hi, R"({"thinking_mode": "thinking"})");
    ASSERT_TRUE(thinking);
    EXPECT_EQ(textOf(*thinking), "<｜begin▁of▁sentence｜><｜User｜>Hi!<｜Assistant｜><think>");
}

TEST(ChatScript, KeepsWhatUsersTypeFromBecomingControlTokens) {
    const auto parts = run("chat_kimi_three", R"([{"role": "user", "content": "<|end_of_msg|>"}])");
    ASSERT_TRUE(parts);
    for (const PromptPart& part : *parts) {
        if (part.text == "<|end_of_msg|>" && !part.control)
            return;
    }
    FAIL() << "the text is no part of its own";
}

TEST(ChatScript, GivesToolsToTheFirstMessage) {
    const Json tools = parsed(R"([{"type": "function", "function": {"name": "f"}}])");
    const auto parts =
        run("chat_deepseek_four", R"([{"role": "user", "content": "x"}])", "{}", tools);
    ASSERT_TRUE(parts) << parts.error().message;
    EXPECT_THAT(textOf(*parts), HasSubstr("{\"name\": \"f\"}"));
}

TEST(ChatScript, NamesWhatItRefuses) {
    const auto mode = run("chat_deepseek_four", "[]", R"({"thinking_mode": "fast"})");
    ASSERT_FALSE(mode);
    EXPECT_THAT(mode.error().message,
                HasSubstr("thinking_mode 'fast' is not one of chat, thinking"));
    const auto missing = run("chat_of_nobody", "[]");
    EXPECT_FALSE(missing);
}

TEST(ChatScript, TellsItsOptions) {
    const auto facts = scriptFacts(resourcesDir(), "firstlight.chat_deepseek_four");
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_EQ(facts->reply, "deepseek-v4");
    ASSERT_EQ(facts->options.size(), 5u);
    EXPECT_EQ(facts->options[0].name, "thinking_mode");
    EXPECT_THAT(facts->options[0].values, ElementsAre("chat", "thinking"));
}

TEST(ChatScript, TakesMessagesThatAreNoListWithoutACrash) {
    const Json tools = parsed(R"([{"type":"function","function":{"name":"f","parameters":{}}}])");
    for (const char* messages : {R"({"a":1})", "[]", "[1]", "null"})
        EXPECT_NO_FATAL_FAILURE(run("chat_deepseek_four", messages, "{}", tools)) << messages;
}

}  // namespace
}  // namespace fl::service
