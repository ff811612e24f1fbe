// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rung_compare.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

Array array(std::vector<float> values, std::int64_t rows) {
    Array out;
    out.rows = rows;
    out.width = static_cast<std::int64_t>(values.size()) / rows;
    out.values = std::move(values);
    return out;
}

RowSums sums(const Array& ours, const Array& reference) {
    RowSums out;
    out.add(ours, reference);
    return out;
}

RungError compareRung(const Array& ours, const Array& reference) {
    return rungError(sums(ours, reference));
}

TEST(RungCompare, DividesTheRmsOfTheDifferenceByThatOfTheReference) {
    const RungError error = compareRung(array({3, 4, 0, 11}, 2), array({3, 4, 0, 10}, 2));
    EXPECT_NEAR(error.overall, 1 / std::sqrt(9 + 16 + 100.0), 1e-12);
    EXPECT_NEAR(error.worstToken, 0.1, 1e-12);
    EXPECT_EQ(error.worstRow, 1);
    EXPECT_NEAR(error.absolute, 0.5, 1e-12);
}

TEST(RungCompare, IsZeroForEqualArrays) {
    EXPECT_EQ(compareRung(array({1, 2}, 1), array({1, 2}, 1)).overall, 0);
    EXPECT_EQ(compareRung(array({0, 0}, 1), array({0, 0}, 1)).overall, 0);
}

TEST(RungCompare, IsNotANumberWhereAValueIsNone) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const RungError error = compareRung(array({1, nan, 2, 2}, 2), array({1, 1, 1, 1}, 2));
    EXPECT_TRUE(std::isnan(error.overall));
    EXPECT_EQ(error.worstRow, 0);
}

TEST(RungCompare, IsNotANumberForOtherShapes) {
    EXPECT_TRUE(std::isnan(compareRung(array({1, 2}, 1), array({1, 2}, 2)).overall));
    EXPECT_TRUE(std::isnan(compareRung(array({1, 2}, 1), array({1, 2, 3}, 1)).overall));
}

TEST(RungCompare, TakesAnArrayInParts) {
    RowSums parts = sums(array({3, 4}, 1), array({3, 4}, 1));
    parts.add(array({0, 11}, 1), array({0, 10}, 1));
    EXPECT_EQ(parts.rows(), 2);
    EXPECT_NEAR(rungError(parts).overall, 1 / std::sqrt(9 + 16 + 100.0), 1e-12);
}

TEST(RungCompare, LeavesRowsOut) {
    const RowSums all = sums(array({3, 4, 0, 11}, 2), array({3, 4, 0, 10}, 2));
    EXPECT_EQ(rungError(all, {false, true}).overall, 0);
    EXPECT_NEAR(rungError(all, {true, false}).overall, 0.1, 1e-12);
    EXPECT_TRUE(std::isnan(rungError(all, {true, true}).overall));
}

TEST(RouterMargins, AreBetweenTheLastChosenAndTheNext) {
    const auto margins = routerMargins(array({1, 4, 3, 0, 2, 2, 2, 2}, 2), 2);
    ASSERT_EQ(margins.size(), 2U);
    EXPECT_NEAR(margins[0], 2 / std::sqrt(26.0 / 4), 1e-6);
    EXPECT_EQ(margins[1], 0);
    EXPECT_TRUE(std::isinf(routerMargins(array({1, 4}, 1), 2)[0]));
}

TEST(JudgeGreedy, WantsEqualIds) {
    const std::vector<int> ids = {1, 2, 3};
    const std::vector<float> margins = {1, 1, 1};
    EXPECT_TRUE(judgeGreedy(ids, ids, margins, 1e-6).passed);
    EXPECT_FALSE(judgeGreedy(std::vector<int>{1, 2}, ids, margins, 1e-6).passed);
    const GreedyJudgement other = judgeGreedy(std::vector<int>{1, 9, 3}, ids, margins, 1e-6);
    EXPECT_FALSE(other.passed);
    EXPECT_EQ(other.agreed, 1);
}

TEST(JudgeGreedy, LetsThemPartWhereTheReferenceWasNotSure) {
    const std::vector<int> ids = {1, 2, 3};
    const std::vector<float> margins = {1, 0.009F, 1};
    EXPECT_TRUE(judgeGreedy(std::vector<int>{1, 9, 8}, ids, margins, 0.001).passed);
    EXPECT_FALSE(judgeGreedy(std::vector<int>{1, 9, 8}, ids, margins, 0.0005).passed);
    EXPECT_FALSE(judgeGreedy(std::vector<int>{9, 9, 8}, ids, margins, 0.001).passed);
}

}  // namespace
}  // namespace fl::service
