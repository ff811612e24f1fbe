// SPDX-License-Identifier: Apache-2.0
// Templates that want too much: each must end soon, with an error that says where.
// Covers: engine/tokenizer/template_runtime.cpp
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tokenizer/chat_template.h"

namespace fl::tokenizer {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Result<std::string> render(const std::string& source, const TemplateLimits& limits = {}) {
    FL_TRY(const ChatTemplate parsed, ChatTemplate::parse(source));
    return parsed.render(Json::object(), "2026-07-01T12:34:56", limits);
}

std::string repeat(const std::string& text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

class Bomb : public ::testing::TestWithParam<std::string> {};

TEST_P(Bomb, EndsInABudgetWithItsPlace) {
    const auto text = render(GetParam());
    ASSERT_FALSE(text) << text->size() << " bytes";
    EXPECT_THAT(text.error().code,
                AnyOf(ErrorCode::Timeout, ErrorCode::OutOfMemory, ErrorCode::Corrupt));
    EXPECT_THAT(text.error().message, HasSubstr("chat template line 1, column "));
}

const std::string kDouble =
    "{% set n = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(21) %}"
    "{% set n.s = n.s + n.s %}{% endfor %}";
const std::string kShared =
    "{% set n = namespace(l=[1], m=[1]) %}{% for i in range(60) %}"
    "{% set n.l = [n.l, n.l] %}{% set n.m = [n.m, n.m] %}{% endfor %}";

INSTANTIATE_TEST_SUITE_P(
    All,
    Bomb,
    ::testing::Values(
        "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
        kDouble,
        "{{ 'x' * 10 ** 12 }}",
        "{{ ''.center(4611686018427387904, '😀') }}",
        "{{ [1] | slice(1152921504606846976) | list }}",
        "{{ [1] | batch(1152921504606846976, 0) | list }}",
        "{{ dict(range(400000) | batch(2)) }}",
        "{% set z = 'a'.zfill(0 - 9 * 10 ** 18) %}{% for a in range(99999) %}"
        "{% for b in range(99999) %}x{% endfor %}{% endfor %}",
        "{{ [1] * 10 ** 12 }}",
        "{{ range(10 ** 12) }}",
        "{{ range(0 - 10 ** 12, 10 ** 12) | list }}",
        "{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
        "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (10 ** 9, 1) }}",
        "{{ '{:>999999999}'.format(1) }}",
        "{{ 'x'.center(10 ** 12) }}",
        "{{ 'x' | center(10 ** 12) }}",
        "{{ 'x'.zfill(10 ** 12) }}",
        "{{ '\t'.expandtabs(10 ** 12) * 10 ** 9 }}",
        "{% set s = 'x' * 10 ** 6 %}{{ s.replace('x', s) }}",
        "{% set s = 'x' * 10 ** 6 %}{{ s | replace('x', s) }}",
        "{% set s = 'x' * 10 ** 6 %}{{ s.join(s) }}",
        "{{ ('x' * 10 ** 7) | list | length }}",
        "{{ ('x ' * 5 * 10 ** 6).split() | length }}",
        "{{ ('x' * 10 ** 7).split('x') }}",
        "{% for c in 'x' * 10 ** 7 %}{% endfor %}",
        "{% set s = 'x' * 10 ** 6 %}{{ ('{0}' * 10 ** 5).format(s) }}",
        "{% set s = 'x' * 10 ** 6 %}{{ ('%s' * 10 ** 5) % ((s,) * 10 ** 5) }}",
        kShared + "{{ n.l }}",
        kShared + "{{ n.l | tojson }}",
        kShared + "{{ n.l == n.m }}",
        kShared + "{{ n.l in [n.m] }}",
        kShared + "{{ (n.l | string) | length }}",
        kShared + "{{ n.l ~ 'x' }}",
        "{{ ('x\\n' * 10 ** 6) | indent(1000) }}",
        "{{ range(10 ** 5) | batch(1, 'x') | map('list') | map('join', 'x' * 10 ** 6) | list }}",
        "{{ [1] | slice(10 ** 12) | list }}",
        "{{ [1] | batch(10 ** 12, 0) | list }}",
        "{% set n = namespace(l=[]) %}{% for i in range(10 ** 5) %}{% for j in range(10 ** 5) %}"
        "{% set x = n.l.append(n.l) %}{% endfor %}{% endfor %}"));

TEST(TemplateBudget, BoundsTheNestingOfTheSource) {
    for (const std::string& source :
         {"{{ " + repeat("(", 99999) + "1" + repeat(")", 99999) + " }}",
          "{{ " + repeat("-", 99999) + "1 }}", "{{ " + repeat("x if ", 99999) + "1 }}",
          "{{ 1" + repeat(".a", 99999) + " }}", "{{ 1" + repeat(" | abs", 99999) + " }}",
          "{{ 1" + repeat(" ~ 1", 99999) + " }}", "{{ 1" + repeat("(1)", 99999) + " }}",
          repeat("{% for x in y %}", 99999), repeat("{% macro m() %}", 99999),
          "{% set " + repeat("(", 99999) + "x = 1 %}", "{{ " + repeat("{1:", 99999) + "1 }}",
          "{{ f(" + repeat("*f(", 99999) + " }}"}) {
        const auto parsed = ChatTemplate::parse(source);
        ASSERT_FALSE(parsed) << source.substr(0, 40);
        EXPECT_THAT(parsed.error().message, AnyOf(HasSubstr("too deep"), HasSubstr("has no end")));
    }
    // A chain that is only long is no nesting.
    EXPECT_TRUE(render("{{ " + repeat("not ", 99998) + "1 }}"));
    EXPECT_TRUE(render("{% if 0 %}" + repeat("{% elif 0 %}", 9999) + "{% endif %}"));
}

TEST(TemplateBudget, LetsValuesNestedWithoutEndGo) {
    // Each list in the next: freeing them one from within the other would end the stack.
    EXPECT_TRUE(
        render("{% set n = namespace(l=[]) %}{% for i in range(90000) %}"
               "{% set n.l = [n.l] %}{% endfor %}ok"));
    EXPECT_TRUE(
        render("{% set n = namespace(l={}) %}{% for i in range(90000) %}"
               "{% set n.l = {'a': n.l} %}{% endfor %}ok"));
    EXPECT_TRUE(
        render("{% set n = namespace(l=[1]) %}{% for i in range(90000) %}"
               "{% set n.l = n.l | batch(1) | list %}{% endfor %}ok"));
}

TEST(TemplateBudget, EndsAtItsTime) {
    TemplateLimits limits;
    limits.steps = std::int64_t{1} << 60;
    limits.time = std::chrono::milliseconds(50);
    const auto begin = std::chrono::steady_clock::now();
    const auto text = render(
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}"
        "{% endfor %}",
        limits);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::Timeout);
    EXPECT_THAT(text.error().message, HasSubstr("more than 50 ms"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(TemplateBudget, EndsWhenItIsCancelled) {
    CancelSource source;
    source.cancel();
    TemplateLimits limits;
    limits.cancel = source.token();
    const auto text = render("{% for a in range(99999) %}{% endfor %}", limits);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::Cancelled);
}

TEST(TemplateBudget, NamesWhatItDoesNotKnow) {
    for (const auto& [source, said] :
         {std::pair{"a\n {% bogus %}", "line 2, column 5: unknown tag 'bogus'"},
          std::pair{"a\n {{ x | bogus }}", "line 2, column 9: there is no filter 'bogus'"},
          std::pair{"a\n {{ x is bogus }}", "line 2, column 7: there is no test 'bogus'"},
          std::pair{"{{ lipsum() }}", "line 1, column 10: lipsum() is not supported"},
          std::pair{"{{ '\\N{BULLET}' }}", "line 1, column 4: characters cannot be given by name"},
          std::pair{"{% autoescape true %}{% endautoescape %}", "autoescape can only be false"}}) {
        const auto text = render(source);
        ASSERT_FALSE(text) << source;
        EXPECT_THAT(text.error().message, HasSubstr(said));
    }
}

}  // namespace
}  // namespace fl::tokenizer
