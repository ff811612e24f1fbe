// SPDX-License-Identifier: Apache-2.0
// Covers: engine/recipe/config_rules.cpp
// Covers: engine/recipe/config_solver.cpp
// Covers: engine/recipe/config_path.cpp
// Covers: engine/recipe/key_limits.cpp
#include "engine/recipe/config_check.h"

#include <gtest/gtest.h>

#include "engine/recipe/config_path.h"
#include "engine/recipe/config_solver.h"
#include "tests/support/findings.h"

namespace fl::recipe {

using test::codes;
using test::findCode;

static ConfigRules rulesOf(const char* text) {
    const auto described = Json::parse(text);
    EXPECT_TRUE(described);
    auto rules = readConfigRules(*described);
    EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
    return rules ? *std::move(rules) : ConfigRules{};
}

static ConfigRules attentionRules() {
    return rulesOf(R"({"keys": {
        "hidden": {"type": "integer", "min": 1, "max": 1000},
        "heads": {"type": "integer", "min": 1},
        "kv": {"type": "integer", "min": 1, "max": "heads", "divides": "heads"},
        "dim": {"type": "integer", "absent": "fine", "default": "hidden / heads"},
        "eps": {"type": "real", "above": 0, "usual_min": 1e-10, "absent": "warning",
                "default": 1e-6},
        "tied": {"type": "boolean", "absent": "fine", "default": 0},
        "kinds": {"type": "list", "values": ["full", "local"], "length": "heads",
                  "absent": "fine"},
        "ids": {"type": "ids", "min": 0, "max": "hidden - 1", "absent": "fine"}}})");
}

static HeaderFact fact(const char* formula, double value) {
    return {*Formula::parse(formula), value, 3, "some.weight", false, ""};
}

static std::vector<HeaderFact> attentionFacts() {
    return {fact("hidden", 32), fact("heads * dim", 32), fact("kv * dim", 16)};
}

static Json good() {
    return *Json::parse(R"({"hidden": 32, "heads": 4, "kv": 2, "dim": 8, "eps": 1e-5})");
}

static ConfigCheck checked(const Json& config) {
    return checkConfig(attentionRules(), config, attentionFacts(), "config.json");
}

static ConfigCheck with(const char* key, Json value) {
    Json config = good();
    setPath(config, key, std::move(value));
    return checked(config);
}

TEST(ConfigCheck, AGoodConfigurationPassesAsItIs) {
    const ConfigCheck check = checked(good());
    EXPECT_EQ(codes(check.findings), "");
    EXPECT_EQ(check.usable, good());
}

TEST(ConfigCheck, HeadersSayWhatANumberShouldBe) {
    const struct {
        const char* key;
        Json value;
        const char* expected;
        const char* found;
    } cases[] = {{"hidden", 33, "32", "33"},
                 {"hidden", 0, "32", "0"},
                 {"hidden", "32", "32", "'32'"},
                 {"hidden", 32.5, "32", "32.5"},
                 {"hidden", Json(true), "32", "true"},
                 {"heads", 5, "4", "5"},
                 {"heads", 8, "4", "8"},
                 {"kv", 4, "2", "4"},
                 {"dim", 9, "8", "9"}};
    for (const auto& each : cases) {
        const ConfigCheck check = with(each.key, each.value);
        ASSERT_FALSE(check.findings.empty()) << each.key << each.found;
        const Finding& first = check.findings.front();
        EXPECT_EQ(first.key, each.key) << each.found;
        EXPECT_EQ(first.found, each.found);
        EXPECT_EQ(first.severity, Severity::Error);
        EXPECT_EQ(first.expected.substr(0, first.expected.find_first_of(" ,")), each.expected)
            << first.expected;
        EXPECT_EQ(first.tensor, "some.weight");
        EXPECT_EQ(first.file, "config.json");
        EXPECT_FALSE(first.remedy.empty());
    }
}

TEST(ConfigCheck, AMissingKeyIsProvenToo) {
    const ConfigCheck check = with("hidden", Json());
    EXPECT_EQ(codes(check.findings), "config-key-missing");
    EXPECT_EQ(check.findings[0].expected, "32 (by some.weight)");
    EXPECT_EQ(check.usable["hidden"].integer(), 32) << "the rest can be looked at";
}

TEST(ConfigCheck, WhatALibraryTakesIsAWarningAndMended) {
    ConfigCheck check = with("hidden", 32.0);
    ASSERT_EQ(codes(check.findings), "config-value");
    EXPECT_EQ(check.findings[0].severity, Severity::Warning);
    EXPECT_TRUE(check.usable["hidden"].isInteger());
    check = with("tied", 0);
    ASSERT_EQ(codes(check.findings), "config-value");
    EXPECT_EQ(check.findings[0].severity, Severity::Warning);
    EXPECT_TRUE(check.usable["tied"].isBool());
    EXPECT_EQ(with("tied", "false").findings[0].severity, Severity::Error);
}

TEST(ConfigCheck, AnUnusualValueAndAnAbsentDefaultAreWarnings) {
    EXPECT_EQ(with("eps", 1e-12).findings.at(0).severity, Severity::Warning);
    EXPECT_EQ(with("eps", 0).findings.at(0).severity, Severity::Error);
    const ConfigCheck absent = with("eps", Json());
    ASSERT_EQ(codes(absent.findings), "config-key-missing");
    EXPECT_EQ(absent.findings[0].severity, Severity::Warning);
    EXPECT_EQ(absent.usable["eps"].number(), 1e-6);
}

TEST(ConfigCheck, KeysAreHeldAgainstEachOther) {
    const auto found = [](const ConfigCheck& check, const char* expected) {
        for (const Finding& finding : check.findings) {
            if (finding.code == "config-contradiction" && finding.expected.starts_with(expected))
                return true;
        }
        return false;
    };
    EXPECT_TRUE(found(with("kv", 8), "at most 4 (legal: 1, 2 or 4)"));
    EXPECT_TRUE(found(with("kv", 3), "a divisor of 4 (legal: 1, 2 or 4)"));
    EXPECT_TRUE(found(with("ids", *Json::parse("[31, 32]")), "at most 31"));
    EXPECT_TRUE(found(with("kinds", *Json::parse(R"(["full"])")), "4 entries"));
    EXPECT_EQ(
        with("kinds", *Json::parse(R"(["full", "full", "full", "spiral"])")).findings.at(0).code,
        "config-value");
}

TEST(ConfigCheck, EverythingIsSaidAtOnce) {
    const ConfigCheck check =
        checked(*Json::parse(R"({"hidden": 31, "heads": null, "kv": "two", "eps": -1})"));
    EXPECT_EQ(check.findings.size(), 4U) << codes(check.findings);
}

TEST(ConfigCheck, AMemberOfAnObjectIsFoundAndMended) {
    const ConfigRules rules = rulesOf(
        R"({"config_root": "text", "keys": {"quant.bits": {"type": "integer", "min": 1}}})");
    const Json config = *Json::parse(R"({"text": {"quant": {"bits": 0}}})");
    const ConfigCheck check = checkConfig(rules, config, {}, "config.json");
    ASSERT_EQ(codes(check.findings), "config-value");
    EXPECT_EQ(check.findings[0].key, "text.quant.bits");
    EXPECT_EQ(check.usable["text"]["quant"]["bits"].integer(), 1);
}

TEST(ConfigCheck, WhatNothingProvesIsToldByWhatIsLegalAndUsual) {
    const ConfigRules rules = rulesOf(R"({"keys": {
        "experts": {"type": "integer", "min": 1},
        "groups": {"type": "integer", "min": 1, "divides": "experts"},
        "chosen": {"type": "integer", "min": 1, "max": ["experts", "experts / groups"]},
        "eps": {"type": "real", "above": 0, "below": 1, "usual": [1e-6, 1e-5]}}})");
    const auto expected = [&rules](const char* text) {
        const ConfigCheck check = checkConfig(rules, *Json::parse(text), {}, "config.json");
        return check.findings.empty() ? "" : check.findings.front().expected;
    };
    EXPECT_EQ(expected(R"({"experts": 4, "groups": 2, "chosen": 0, "eps": 1e-5})"), "1 or 2");
    EXPECT_EQ(expected(R"({"experts": 4, "groups": 2, "chosen": 3, "eps": 1e-5})"),
              "at most 2 (legal: 1 or 2)");
    EXPECT_EQ(expected(R"({"experts": 4, "chosen": 1, "eps": 1e-5})"), "present, 1, 2 or 4");
    EXPECT_EQ(expected(R"({"experts": 4, "groups": 2, "chosen": 1, "eps": 0})"),
              "above 0, below 1, usually 1e-06 or 1e-05");
    EXPECT_EQ(expected(R"({"experts": 4, "groups": 2, "chosen": 1, "eps": "1e-5"})"),
              "1e-05, a number, above 0, below 1, usually 1e-06 or 1e-05");
}

TEST(ConfigCheck, ATensorMayProveAText) {
    const ConfigRules rules = rulesOf(
        R"({"keys": {"method": {"type": "text", "values": ["a", "b"], "absent": "fine"}}})");
    const auto found = [&rules](const char* text) {
        return checkConfig(rules, *Json::parse(text), {}, "config.json",
                           {{"method", "a", "router.bias"}})
            .findings;
    };
    EXPECT_TRUE(found(R"({"method": "a"})").empty());
    EXPECT_TRUE(found("{}").empty());
    for (const char* wrong : {R"({"method": "b"})", R"({"method": "nosuch"})"}) {
        ASSERT_EQ(codes(found(wrong)), "config-contradiction");
        EXPECT_EQ(found(wrong)[0].expected, "'a' (by router.bias)");
        EXPECT_EQ(found(wrong)[0].tensor, "router.bias");
    }
}

TEST(ConfigCheck, OfACountTheFirstTensorThatIsSeenDifferentlyIsNamed) {
    const ConfigRules rules = rulesOf(R"({"keys": {"dense": {"type": "integer", "min": 0}}})");
    HeaderFact dense = fact("dense", 2);
    dense.counted = "layers.#.gate";
    const auto found = [&](std::int64_t value) {
        return checkConfig(rules, Json(Json::Object{{"dense", value}}), {dense}, "config.json")
            .findings.at(0);
    };
    EXPECT_EQ(found(4).tensor, "layers.2.gate");
    EXPECT_EQ(found(4).found, "4, but layers.2.gate is absent");
    EXPECT_EQ(found(1).tensor, "layers.1.gate");
    EXPECT_EQ(found(1).found, "1, but layers.1.gate is present");
}

TEST(ConfigRules, AMistakeInADeclarationIsNamed) {
    const auto fails = [](const char* text, const char* word) {
        const auto rules = readConfigRules(*Json::parse(text));
        return !rules && rules.error().message.find(word) != std::string::npos;
    };
    EXPECT_TRUE(fails(R"({"keys": {"a": {"type": "number"}}})", "'type'"));
    EXPECT_TRUE(fails(R"({"keys": {"a": {"type": "integer", "least": 1}}})", "'least'"));
    EXPECT_TRUE(fails(R"({"keys": {"a": {"type": "integer", "max": "b +"}}})", "b +"));
    EXPECT_TRUE(fails(R"({"evidence": [{"shape": ["a"]}]})", "evidence"));
}

TEST(SolveConfig, TheMajorityOfHeadersCountsAndTheConfigurationDecidesATie) {
    std::vector<HeaderFact> facts = {fact("rows", 271), fact("rows", 272)};
    EXPECT_TRUE(solveConfig(facts, {{"rows", 272}}, {}).empty());
    facts[0].votes = 4;
    EXPECT_EQ(solveConfig(facts, {{"rows", 272}}, {}).at("rows").value, 271);
}

TEST(Shown, ListsAreSpeltOutAndLongTextsCut) {
    EXPECT_EQ(shown(*Json::parse(R"([1, "x", [2]])")), "[1, 'x', a list]");
    EXPECT_EQ(shown(Json(1e12)), "1000000000000.0");
    EXPECT_LT(shown(Json(std::string(5000, 'x'))).size(), 200U);
    EXPECT_EQ(shown(Json::object()), "{}");
}

}  // namespace fl::recipe
