// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/reply_formats.cpp
#include "engine/tokenizer/reply_reader.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/engine/tokenizer/golden.h"
#include "tests/support/reference.h"

namespace fl::tokenizer {
namespace {

std::string shown(const Reply& reply) {
    std::string out = "[" + reply.reasoning + "][" + reply.content + "]";
    for (const ReplyCall& call : reply.calls)
        out += " " + call.id + "/" + call.name + call.arguments;
    return out + (reply.malformed.empty() ? "" : " !" + reply.malformed);
}

struct Case {
    std::string format;
    bool reasons = false;
    std::string text;
    std::string wanted;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> kCases = {
        {"raw", false, " <think>a</think> {\"name\": 1}", "[][ <think>a</think> {\"name\": 1}]"},
        {"hermes", false, "<think>\nhm\n</think>\n\nHello.\n", "[hm][Hello.]"},
        {"hermes", true, "hm\n</think>\n\nHello.", "[hm][Hello.]"},
        {"hermes", false, "Hello <b> < tool", "[][Hello <b> < tool]"},
        {"hermes", false,
         "Sure.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1, \"b\": \"é\"}}\n"
         "</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>",
         "[][Sure.] /f{\"a\": 1, \"b\": \"é\"} /g{}"},
        {"hermes", false, "x<tool_call>\n{\"name\": ",
         "[][x<tool_call>\n{\"name\": ] !'</tool_call>' is missing: the answer was cut off"},
        {"hermes", false, "x<tool_call>no</tool_call>",
         "[][x<tool_call>no</tool_call>] !a call is no JSON object with a name"},
        {"qwen-xml", false,
         "<tool_call>\n<function=f>\n<parameter=s>\na\nb\n</parameter>\n<parameter=n>\n[1]\n"
         "</parameter>\n</function>\n</tool_call>",
         "[][] /f{\"s\": \"a\\nb\", \"n\": [1]}"},
        {"glm", false,
         "<think>t</think>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x y</arg_value>\n"
         "<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
         "[t][] /f{\"a\": \"x y\", \"b\": 2}"},
        {"deepseek-v3.1", false,
         "Hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜>"
         "<｜tool▁calls▁end｜>",
         "[][Hi] /f{\"a\": 1}"},
        {"kimi-k2", false,
         "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
         "{\"a\": 1}<|tool_call_end|><|tool_calls_section_end|>",
         "[][] functions.f:0/f{\"a\": 1}"},
        {"minimax", false,
         "ok\n<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x</parameter>\n"
         "</invoke>\n</minimax:tool_call>",
         "[][ok] /f{\"a\": \"x\"}"},
        {"mistral", false,
         "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}, \"id\": \"abcdefghi\"}]",
         "[][] abcdefghi/f{\"a\": 1}"},
        {"mistral", false, "[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS]g[ARGS]{}",
         "[][] /f{\"a\": 1} /g{}"},
        {"harmony", false,
         "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hi"
         "<|return|>",
         "[hm][Hi]"},
        {"harmony", false,
         "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": 1}<|call|>",
         "[][] /f{\"a\": 1}"},
        {"kimi-k3", true,
         "hm<|close|>think<|sep|><|open|>response<|sep|>Hi<|close|>response<|sep|>"
         "<|open|>tools<|sep|><|open|>call tool=\"f\" index=\"1\"<|sep|><|open|>argument key=\"a\" "
         "type=\"string\"<|sep|>x<|close|>argument<|sep|><|open|>argument key=\"b\" type=\"number\""
         "<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
         "<|close|>message<|sep|><|end_of_msg|>",
         "[hm][Hi] 1/f{\"a\": \"x\", \"b\": 2}"}};
    return kCases;
}

TEST(ReplyReader, TakesEachFormatApart) {
    for (const Case& one : cases()) {
        ReplyReader reader(one.format, one.reasons);
        reader.push(one.text);
        EXPECT_EQ(shown(reader.finish()), one.wanted) << one.format << ": " << one.text;
    }
}

TEST(ReplyReader, GivesTheSameHoweverTheTextIsCut) {
    for (const Case& one : cases()) {
        for (std::size_t cut = 0; cut <= one.text.size(); ++cut) {
            ReplyReader reader(one.format, one.reasons);
            auto first = reader.push(one.text.substr(0, cut));
            const auto second = reader.push(one.text.substr(cut));
            const Reply reply = reader.finish();
            ASSERT_EQ(shown(reply), one.wanted) << one.format << " cut at " << cut;
            // What was shown on the way is how the whole begins.
            ASSERT_TRUE(reply.reasoning.starts_with(first.reasoning + second.reasoning));
            ASSERT_TRUE(reply.content.starts_with(first.content + second.content));
        }
        ReplyReader reader(one.format, one.reasons);
        for (const char byte : one.text)
            reader.push(std::string(1, byte));
        EXPECT_EQ(shown(reader.finish()), one.wanted) << one.format << " byte by byte";
    }
}

TEST(ReplyReader, ShowsContentAsItComes) {
    ReplyReader reader("hermes", true);
    EXPECT_EQ(reader.push("one two").reasoning, "one two");
    EXPECT_EQ(reader.push(" </thi").reasoning, "");
    EXPECT_EQ(reader.push("nk>\n\nHel").content, "Hel");
    EXPECT_EQ(reader.push("lo <tool_c").content, "lo");
}

TEST(ReplyReader, SeesInThePromptWhetherReasoningIsOpen) {
    EXPECT_TRUE(opensReasoning("hermes", "…<|im_start|>assistant\n<think>\n"));
    EXPECT_FALSE(opensReasoning("hermes", "…<|im_start|>assistant\n<think>\n\n</think>\n\n"));
    EXPECT_FALSE(opensReasoning("raw", "<think>"));
}

// DeepSeek's own parser: the same parts, and an error where it has one.
TEST(ReplyReader, AgreesWithTheReferenceParsers) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    for (const auto& [folder, format] :
         {std::pair{"deepseek-v3.2", "deepseek-v3.2"}, std::pair{"deepseek-v4", "deepseek-v4"}}) {
        const auto lines = test::readLines(test::referenceDir() + "/text/templates/" +
                                           std::string(folder) + "/parse.jsonl");
        ASSERT_GT(lines.size(), 10u);
        for (const Json& golden : lines) {
            const std::string& text = golden["text"].string();
            for (std::size_t cut = 0; cut <= text.size(); ++cut) {
                ReplyReader reader(format, golden["thinking_mode"].string() == "thinking");
                reader.push(text.substr(0, cut));
                reader.push(text.substr(cut));
                const Reply reply = reader.finish();
                if (golden.find("error") != nullptr) {
                    ASSERT_NE(reply.malformed, "") << folder << " " << golden["id"].string();
                    continue;
                }
                Reply wanted;
                wanted.reasoning = golden["message"]["reasoning_content"].string();
                wanted.content = golden["message"]["content"].string();
                for (const Json& call : golden["message"]["tool_calls"].items())
                    wanted.calls.push_back({"", call["function"]["name"].string(),
                                            call["function"]["arguments"].string()});
                ASSERT_EQ(shown(reply), shown(wanted))
                    << folder << " " << golden["id"].string() << " cut at " << cut;
            }
        }
    }
}

TEST(ReplyReader, KnowsTheFormatOfThePublishedTemplates) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    for (const auto& [folder, format] :
         {std::pair{"qwen3", "hermes"}, std::pair{"qwen3-coder", "qwen-xml"},
          std::pair{"qwen3.5", "qwen-xml"}, std::pair{"glm-4.6", "glm"},
          std::pair{"glm-5.2", "glm"}, std::pair{"deepseek-v3.1", "deepseek-v3.1"},
          std::pair{"kimi-k2", "kimi-k2"}, std::pair{"kimi-k2.5", "kimi-k2"},
          std::pair{"gpt-oss", "harmony"}, std::pair{"minimax-m2", "minimax"},
          std::pair{"mistral-nemo", "mistral"}, std::pair{"mistral-small-3.2", "mistral"},
          std::pair{"gemma-2", "raw"}}) {
        const auto source =
            readFile(test::referenceDir() + "/text/templates/" + folder + "/chat_template.jinja");
        ASSERT_TRUE(source);
        EXPECT_EQ(replyFormat(*source), format) << folder;
    }
}

}  // namespace
}  // namespace fl::tokenizer
