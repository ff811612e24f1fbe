// SPDX-License-Identifier: Apache-2.0
// Published chat templates against what transformers makes of them, where the reference data are
// present.
#include <filesystem>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/tokenizer/chat_prompt.h"
#include "tests/engine/tokenizer/golden.h"
#include "tests/support/reference.h"

namespace fl::tokenizer {
namespace {

using ::testing::IsEmpty;

ChatOptions optionsOf(const Json& golden) {
    ChatOptions options;
    options.addGenerationPrompt = golden["add_generation_prompt"].boolean();
    options.continueFinalMessage = golden["continue_final_message"].boolean();
    options.tools = golden["tools"];
    options.documents = golden["documents"];
    options.variables = golden["kwargs"];
    options.clock = "2026-07-01T12:34:56";
    return options;
}

// "" if the template does with the case what the golden line says.
std::string judge(const Json& golden, const Result<std::string>& prompt) {
    const Json* wanted = golden.find("rendered");
    if (wanted == nullptr)
        wanted = golden.find("rendered_if_mutation_allowed");
    if (wanted == nullptr)
        wanted = golden["error"].find("rendered_if_mutation_allowed");
    if (wanted != nullptr) {
        if (!prompt)
            return prompt.error().message;
        if (*prompt == wanted->string())
            return {};
        std::size_t at = 0;
        while (at < prompt->size() && (*prompt)[at] == wanted->string()[at])
            ++at;
        const std::size_t from = at < 40 ? 0 : at - 40;
        return fmt::format("differs at {}: {} instead of {}", at,
                           Json(prompt->substr(from, 100)).dump(),
                           Json(wanted->string().substr(from, 100)).dump());
    }
    if (prompt)
        return "renders, but should fail: " + golden["error"].dump();
    if (golden["error"]["kind"].string() != "raise_exception")
        return {};
    const std::string& message = golden["error"]["message"].string();
    const std::string& said = prompt.error().message;
    const bool ends = said.size() > message.size() + 2 &&
                      said.compare(said.size() - message.size() - 2, 2, ": ") == 0 &&
                      said.substr(said.size() - message.size()) == message;
    return ends ? std::string() : said + " instead of " + message;
}

TEST(ReferenceTemplates, RenderTheGoldenCases) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    int count = 0;
    std::vector<std::string> wrong;
    const std::string root = test::referenceDir() + "/text/templates";
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        const std::string folder = entry.path().string();
        const auto source = readFile(folder + "/chat_template.jinja");
        if (!source)
            continue;
        const auto variables = Json::parseFile(folder + "/variables.json");
        ASSERT_TRUE(variables) << variables.error().message;
        for (const Json& golden : test::readLines(folder + "/cases.jsonl")) {
            ++count;
            const auto prompt = renderChat(*source, (*variables)["special_tokens"],
                                           golden["messages"], optionsOf(golden));
            if (const std::string fault = judge(golden, prompt); !fault.empty())
                wrong.push_back(fmt::format("{} {}: {}", entry.path().filename().string(),
                                            golden["id"].string(), fault));
        }
    }
    EXPECT_GT(count, 500);
    RecordProperty("cases", count);
    EXPECT_THAT(wrong, IsEmpty()) << wrong.size() << " of " << count;
}

TEST(ReferenceTemplates, LoadAndRenderTheFurtherOnes) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    const auto messages = Json::parse(
        R"([{"role":"user","content":"Hi!"},{"role":"assistant","content":"Hello."},
            {"role":"user","content":"2+2?"}])");
    const auto tokens = Json::parse(R"({"bos_token":"<s>","eos_token":"</s>"})");
    int count = 0;
    const std::string root = test::referenceDir() + "/text/templates-more";
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        const auto source = readFile(entry.path().string() + "/chat_template.jinja");
        ASSERT_TRUE(source);
        const auto prompt = renderChat(*source, *tokens, *messages);
        ASSERT_TRUE(prompt) << entry.path() << ": " << prompt.error().message;
        EXPECT_THAT(*prompt, ::testing::HasSubstr("2+2?"));
        ++count;
    }
    EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace fl::tokenizer
