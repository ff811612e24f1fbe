// SPDX-License-Identifier: Apache-2.0
// Covers: engine/tokenizer/template_calls.cpp engine/tokenizer/template_evaluator.cpp
// Covers: engine/tokenizer/template_expression_parser.cpp engine/tokenizer/template_expressions.cpp
// Covers: engine/tokenizer/template_filters.cpp engine/tokenizer/template_format.cpp
// Covers: engine/tokenizer/template_html_filters.cpp engine/tokenizer/template_json.cpp
// Covers: engine/tokenizer/template_lexer.cpp engine/tokenizer/template_methods.cpp
// Covers: engine/tokenizer/template_names.cpp engine/tokenizer/template_operators.cpp
// Covers: engine/tokenizer/template_parser.cpp engine/tokenizer/template_primary_parser.cpp
// Covers: engine/tokenizer/template_print.cpp engine/tokenizer/template_sequence_filters.cpp
// Covers: engine/tokenizer/template_string_methods.cpp engine/tokenizer/template_strings.cpp
// Covers: engine/tokenizer/template_tests.cpp engine/tokenizer/template_text_filters.cpp
// Covers: engine/tokenizer/template_time.cpp engine/tokenizer/template_value.cpp
#include "engine/tokenizer/chat_template.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/tokenizer/golden.h"

namespace fl::tokenizer {
namespace {

using ::testing::HasSubstr;

std::string dataFile(const std::string& name) {
    const char* data = std::getenv("FIRSTLIGHT_TEST_DATA");
    return std::string(data != nullptr ? data : "tests/data") + "/tokenizer/" + name;
}

Result<std::string> render(const std::string& source,
                           const Json& variables = Json::object(),
                           const TemplateLimits& limits = {}) {
    FL_TRY(const ChatTemplate parsed, ChatTemplate::parse(source));
    return parsed.render(variables, "2026-07-01T12:34:56", limits);
}

std::string rendered(const std::string& source) {
    const auto text = render(source);
    return text ? *text : "error: " + text.error().message;
}

// What renders otherwise than the lines of a file say, a line each.
std::string departures(const std::string& cases, const std::string& variablesFile) {
    const auto variables = Json::parseFile(dataFile(variablesFile));
    if (!variables)
        return variables.error().message;
    std::string wrong;
    for (const Json& golden : test::readLines(dataFile(cases))) {
        const std::string& source = golden["template"].string();
        const auto text = render(source, *variables);
        if (text ? *text != golden["rendered"].string() || golden.find("error") != nullptr
                 : golden.find("error") == nullptr)
            wrong += golden.dump() + " gives " +
                     (text ? Json(*text).dump() : text.error().message) + "\n";
    }
    return wrong;
}

TEST(ChatTemplate, RendersAsJinjaDoes) {
    ASSERT_GT(test::readLines(dataFile("templates.jsonl")).size(), 100u);
    EXPECT_EQ(departures("templates.jsonl", "template_variables.json"), "");
}

TEST(ChatTemplate, KnowsTheWholeLanguage) {
    ASSERT_GT(test::readLines(dataFile("jinja_cases.jsonl")).size(), 800u);
    EXPECT_EQ(departures("jinja_cases.jsonl", "jinja_variables.json"), "");
}

TEST(ChatTemplate, MayChangeItsOwnLists) {
    EXPECT_EQ(rendered("{% set l = [] %}{% for i in range(3) %}{{ l.append(i) or '' }}{% endfor %}"
                       "{{ l }}{{ l.pop(0) }}{{ l }}"),
              "[0, 1, 2]0[1, 2]");
    EXPECT_EQ(rendered("{% set d = {'a': 1} %}{% set x = d.update({'b': 2}) %}{{ d }}"),
              "{'a': 1, 'b': 2}");
}

TEST(ChatTemplate, LetsAListInItselfGo) {
    EXPECT_THAT(rendered("{% set l = [] %}{% set x = l.append(l) %}{{ l }}"), HasSubstr("..."));
    EXPECT_THAT(rendered("{% set l = [] %}{% set x = l.append(l) %}{{ l | tojson }}"),
                HasSubstr("nested too deep"));
    EXPECT_EQ(rendered("{% set n = namespace() %}{% set n.self = n %}ok"), "ok");
}

TEST(ChatTemplate, TellsTheTimeItIsGiven) {
    EXPECT_EQ(rendered("{{ strftime_now('%d %B %Y, %A %H:%M:%S %-d %b %j%%') }}"),
              "01 July 2026, Wednesday 12:34:56 1 Jul 182%");
    EXPECT_THAT(rendered("{{ strftime_now('%Q') }}"), HasSubstr("does not know '%Q'"));
}

TEST(ChatTemplate, NamesLineAndColumn) {
    EXPECT_EQ(rendered("a\n  {{ x.y }}"),
              "error: chat template line 2, column 7: 'x' is undefined");
    EXPECT_EQ(rendered("a\n{% if x %}"),
              "error: chat template line 2, column 11: unexpected end of the template, expected "
              "'endif'");
    EXPECT_EQ(rendered("{{ raise_exception('no tools') }}"),
              "error: chat template line 1, column 19: no tools");
}

TEST(ChatTemplate, TellsARefusalFromAMistake) {
    EXPECT_EQ(render("{{ raise_exception('no') }}").error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(render("{{ 1 | nofilter }}").error().code, ErrorCode::Unsupported);
    EXPECT_EQ(render("{{ 1 / 0 }}").error().code, ErrorCode::Corrupt);
}

TEST(ChatTemplate, StopsAtItsBudgets) {
    const auto steps =
        render("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}");
    ASSERT_FALSE(steps);
    EXPECT_EQ(steps.error().code, ErrorCode::Timeout);
    const auto doubling = render(
        "{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}{% endfor "
        "%}");
    ASSERT_FALSE(doubling);
    EXPECT_EQ(doubling.error().code, ErrorCode::OutOfMemory);
    TemplateLimits limits;
    limits.outputBytes = 10;
    EXPECT_EQ(render("0123456789x", Json::object(), limits).error().code, ErrorCode::OutOfMemory);
    EXPECT_FALSE(render("{{ 'x' * 999999999999 }}"));
    EXPECT_FALSE(render("{{ range(10 ** 12) }}"));
    EXPECT_FALSE(render("{{ '%999999999d' % 1 }}"));
    EXPECT_FALSE(render("{{ 9223372036854775807 + 1 }}"));
}

TEST(ChatTemplate, StopsRecursionBeforeTheStackEnds) {
    EXPECT_THAT(rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
                HasSubstr("macros are nested deeper than 64"));
    const auto nested = [](const std::string& open, const std::string& close, int count) {
        std::string text;
        for (int i = 0; i < count; ++i)
            text += open;
        text += "1";
        for (int i = 0; i < count; ++i)
            text += close;
        return text;
    };
    EXPECT_THAT(rendered("{{ " + nested("(", ")", 100000) + " }}"), HasSubstr("too deep"));
    EXPECT_THAT(rendered("{{ " + nested("[", "]", 100000) + " }}"), HasSubstr("too deep"));
    EXPECT_THAT(rendered("{{ " + nested("-", "", 100000) + " }}"), HasSubstr("too deep"));
    EXPECT_THAT(rendered("{{ " + nested("1+", "", 100000) + " }}"), HasSubstr("too deep"));
    EXPECT_EQ(rendered("{{ " + nested("not ", "", 100000) + " }}"), "True");
    EXPECT_THAT(rendered(nested("{% if 1 %}", "{% endif %}", 100000)), HasSubstr("too deep"));
}

TEST(ChatTemplate, TakesUserTextForText) {
    Json variables = Json::object();
    variables.set("m", "{{ raise_exception('x') }}{% if %}");
    const auto text = render("{{ m }}", variables);
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, "{{ raise_exception('x') }}{% if %}");
}

}  // namespace
}  // namespace fl::tokenizer
