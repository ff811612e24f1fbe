// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_options.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "tests/support/reference.h"

namespace fl::tokenizer {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TemplateOptions optionsOf(const std::string& source) {
    auto options = templateOptions(source);
    EXPECT_TRUE(options);
    return options ? *std::move(options) : TemplateOptions();
}

std::vector<std::string> namesOf(const TemplateOptions& options) {
    std::vector<std::string> names;
    for (const TemplateOption& option : options.options)
        names.push_back(option.name);
    return names;
}

TEST(TemplateOptions, AreNamesThatOnlyTheCallerCanGive) {
    EXPECT_THAT(
        namesOf(optionsOf("{% set a = 1 %}{{ a }}{% for m in messages %}{{ m.b }}{{ loop.index }}"
                          "{% endfor %}{% macro f(x) %}{{ x }}{% endmacro %}{{ f(1) }}"
                          "{{ bos_token }}{% if enable_thinking %}{% endif %}")),
        ElementsAre("enable_thinking"));
    EXPECT_THAT(namesOf(optionsOf("{% if x is not defined %}{% set x = 1 %}{% endif %}{{ x }}")),
                ElementsAre("x"));
    EXPECT_THAT(namesOf(optionsOf("{% if a %}{% set x = 1 %}{% endif %}{{ x }}")),
                ElementsAre("a"));
}

TEST(TemplateOptions, HaveTheKindAndDefaultThatCanBeSeen) {
    const auto of = [](const std::string& source) { return optionsOf(source).options.at(0); };
    EXPECT_EQ(of("{% if x %}{% endif %}").kind, "boolean");
    EXPECT_EQ(of("{{ x is false }}").kind, "boolean");
    EXPECT_EQ(of("{{ 'a' + x }}").kind, "text");
    EXPECT_EQ(of("{% for i in x %}{% endfor %}").kind, "list");
    const TemplateOption effort =
        of("{% if x is undefined %}{% set x = 'medium' %}{% endif %}{{ x == 'high' or x in ['low'] "
           "}}");
    EXPECT_EQ(effort.kind, "text");
    EXPECT_EQ(effort.fallback.string(), "medium");
    EXPECT_THAT(effort.values, ElementsAre("high", "low"));
    EXPECT_TRUE(of("{{ x | default(true) }}").fallback.boolean());
    EXPECT_EQ(of("a\n{{ x }}").line, 2);
}

TEST(TemplateOptions, SayWhetherToolsAreTaken) {
    EXPECT_TRUE(optionsOf("{% if tools %}{% endif %}").takesTools);
    EXPECT_FALSE(optionsOf("{{ messages }}").takesTools);
    EXPECT_TRUE(optionsOf("{{ documents }}").takesDocuments);
}

// Nothing is made up, and nothing is missing that the template never sets itself.
TEST(TemplateOptions, AgreeWithThePublishedTemplates) {
    if (test::referenceDir().empty())
        GTEST_SKIP() << "no reference data";
    int templates = 0;
    std::vector<std::string> wrong;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::referenceDir() + "/text/templates")) {
        const auto source = readFile(entry.path().string() + "/chat_template.jinja");
        if (!source)
            continue;
        ++templates;
        const auto known = Json::parseFile(entry.path().string() + "/variables.json");
        ASSERT_TRUE(known);
        std::vector<std::string> reads;
        for (const Json& name : (*known)["reads"].items())
            reads.push_back(name.string());
        const auto names = namesOf(optionsOf(*source));
        for (const std::string& name : names) {
            if (std::find(reads.begin(), reads.end(), name) == reads.end())
                wrong.push_back(entry.path().filename().string() + ": not read: " + name);
        }
        for (const std::string& name : reads) {
            const bool sets = source->find("set " + name + " ") != std::string::npos ||
                              source->find("set " + name + "=") != std::string::npos ||
                              source->find("set " + name + "%") != std::string::npos ||
                              source->find("for " + name + " ") != std::string::npos ||
                              source->find("macro " + name + "(") != std::string::npos;
            if (!sets && !name.ends_with("_token") &&
                std::find(names.begin(), names.end(), name) == names.end())
                wrong.push_back(entry.path().filename().string() + ": missing: " + name);
        }
        if (std::find(reads.begin(), reads.end(), "enable_thinking") != reads.end()) {
            EXPECT_THAT(names, Contains("enable_thinking")) << entry.path();
        }
    }
    EXPECT_GE(templates, 30);
    EXPECT_THAT(wrong, IsEmpty());
}

}  // namespace
}  // namespace fl::tokenizer
