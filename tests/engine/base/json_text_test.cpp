// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json_text.h"

#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/temp_dir.h"

namespace fl {

static JsonText parsed(std::string_view text) {
    return parseJsonText(text, "config.json", "config-json");
}

static Finding only(const JsonText& text) {
    EXPECT_EQ(text.findings.size(), 1U);
    return text.findings.empty() ? Finding{} : text.findings.front();
}

TEST(JsonText, AnObjectWithKeysPasses) {
    const JsonText text = parsed(R"({"a": 1})");
    ASSERT_TRUE(text.value);
    EXPECT_TRUE(text.findings.empty());
}

TEST(JsonText, AFaultNamesWhatWasFoundAndTheKeyAround) {
    const Finding fault = only(parsed(R"({"rope": {"factor": Infinity}})"));
    EXPECT_EQ(fault.code, "config-json");
    EXPECT_EQ(fault.file, "config.json");
    EXPECT_EQ(fault.key, "rope.factor");
    EXPECT_EQ(fault.examples, std::vector<std::string>{"rope"});
    EXPECT_EQ(fault.found, "Infinity");
    EXPECT_FALSE(fault.remedy.empty());
}

TEST(JsonText, AKeyTwiceIsNamed) {
    const Finding fault = only(parsed(R"({"a": {"b": 1, "b": 1}})"));
    EXPECT_EQ(fault.key, "b");
    EXPECT_EQ(fault.expected, "one b");
    EXPECT_EQ(fault.found, "two");
}

TEST(JsonText, OtherThingsThanAnObjectAreNamed) {
    EXPECT_EQ(only(parsed("[]")).found, "an array");
    EXPECT_EQ(only(parsed("{}")).found, "an empty object");
    EXPECT_EQ(only(parsed("<!DOCTYPE html>")).found, "HTML page");
    EXPECT_EQ(only(parsed("version https://git-lfs.github.com/spec/v1\n")).found,
              "git-lfs pointer");
    EXPECT_FALSE(only(parsed("")).found.empty());
}

TEST(JsonText, AByteOrderMarkAndDeepNestingAreTolerated) {
    JsonText text = parsed("\xef\xbb\xbf{\"a\": 1}");
    EXPECT_TRUE(text.value);
    EXPECT_EQ(only(text).severity, Severity::Warning);
    const std::string deep =
        R"({"a": 1, "x": )" + std::string(1000, '[') + std::string(1000, ']') + "}";
    text = parsed(deep);
    ASSERT_TRUE(text.value);
    EXPECT_EQ(only(text).code, "json-tolerated");
    EXPECT_EQ(only(text).found, "1000 levels in 'x'");
    EXPECT_LT(text.value->dump().size(), 200U) << "what lies deeper is left out";
    const std::string deeper =
        R"({"x": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    text = parsed(deeper);
    EXPECT_FALSE(text.value);
    EXPECT_EQ(only(text).found, "100000 levels in 'x'");
}

TEST(JsonText, AFileThatIsNotThereIsNoFault) {
    const test::TempDir folder;
    EXPECT_TRUE(readJsonText(folder.path(), "a.json", "x").absent);
    ASSERT_TRUE(writeFile(folder.path() + "/a.json", R"({"k": 2})"));
    EXPECT_EQ((*readJsonText(folder.path(), "a.json", "x").value)["k"].integer(), 2);
    EXPECT_EQ(only(readJsonText(folder.path() + "/..", ".", "x")).code, "x") << "a folder";
}

}  // namespace fl
