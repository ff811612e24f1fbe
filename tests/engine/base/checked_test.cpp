// SPDX-License-Identifier: Apache-2.0
#include "engine/base/checked.h"

#include <limits>

#include <gtest/gtest.h>

namespace fl {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Checked, SeesEveryOverflow) {
    EXPECT_EQ(checkedAdd(kMost - 1, 1), kMost);
    EXPECT_EQ(checkedAdd(kMost, 1), std::nullopt);
    EXPECT_EQ(checkedAdd(kLeast, -1), std::nullopt);
    EXPECT_EQ(checkedMultiply(std::int64_t{1} << 31, std::int64_t{1} << 31), std::int64_t{1} << 62);
    EXPECT_EQ(checkedMultiply(std::int64_t{1} << 32, std::int64_t{1} << 31), std::nullopt);
    EXPECT_EQ(checkedMultiply(kLeast, -1), std::nullopt);
    EXPECT_EQ(checkedMultiply(kMost, 0), 0);
}

TEST(Checked, RoundsUp) {
    EXPECT_EQ(ceilDivide(0, 4), 0);
    EXPECT_EQ(ceilDivide(1, 4), 1);
    EXPECT_EQ(ceilDivide(8, 4), 2);
    EXPECT_EQ(ceilDivide(kMost, 1), kMost);
    EXPECT_EQ(roundUp(33, 32), 64);
    EXPECT_EQ(roundUp(64, 32), 64);
    EXPECT_EQ(roundUp(0, 32), 0);
}

}  // namespace
}  // namespace fl
