// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/formula.h"

#include <map>

#include <gtest/gtest.h>

namespace fl::recipe {

static Formula::Values values(std::map<std::string, double, std::less<>> table) {
    return [table = std::move(table)](std::string_view key) {
        const auto at = table.find(key);
        return at == table.end() ? std::nullopt : std::optional(at->second);
    };
}

static Formula parsed(std::string_view text) {
    auto formula = Formula::parse(text);
    EXPECT_TRUE(formula) << (formula ? "" : formula.error().message);
    return formula ? *std::move(formula) : Formula{};
}

TEST(Formula, EvaluatesByPrecedenceFromLeftToRight) {
    EXPECT_EQ(parsed("2 + 3 * 4 - 10 / 5 / 2").evaluate(values({})), 13);
    EXPECT_EQ(parsed("(2 + 3) * a.b").evaluate(values({{"a.b", 4}})), 20);
    EXPECT_EQ(parsed("1e-6").evaluate(values({})), 1e-6);
}

TEST(Formula, WhatHasNoValueGivesNone) {
    EXPECT_FALSE(parsed("a + 1").evaluate(values({})));
    EXPECT_FALSE(parsed("1 / a").evaluate(values({{"a", 0}})));
}

TEST(Formula, SolvesForOneKeyInWholeNumbers) {
    const Formula rows = parsed("heads * (nope + rope)");
    const auto known = values({{"heads", 4}, {"nope", 16}, {"rope", 8}});
    EXPECT_EQ(rows.solve("nope", 96, known), 16);
    EXPECT_EQ(rows.solve("heads", 96, known), 4);
    EXPECT_FALSE(rows.solve("heads", 97, known));
    EXPECT_FALSE(rows.solve("nope", 4, known)) << "would be negative";
    EXPECT_EQ(rows.keys(), (std::vector<std::string>{"heads", "nope", "rope"}));
}

TEST(Formula, RefusesWhatItCannotRead) {
    for (const char* text : {"", "a +", "(a", "a b", "a ^ 2", "-1", "a)"})
        EXPECT_FALSE(Formula::parse(text)) << text;
    EXPECT_FALSE(Formula::parse(std::string(100000, '('))) << "deep, not a crash";
}

}  // namespace fl::recipe
