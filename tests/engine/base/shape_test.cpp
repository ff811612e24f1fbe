// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shape.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace fl {
namespace {

// Half a million of them are kept in one flat array.
static_assert(std::is_trivially_copyable_v<Shape>);

TEST(Shape, CountsItsElements) {
    EXPECT_EQ((Shape{std::int64_t{1} << 50, std::int64_t{1} << 60, 0, 2}).count(), 0);
    EXPECT_EQ(Shape{}.count(), 1);
    EXPECT_EQ((Shape{3, 4}).count(), 12);
    EXPECT_EQ((Shape{3, 0, 4}).count(), 0);
    EXPECT_EQ((Shape{-1, 2}).count(), std::nullopt);
    EXPECT_EQ((Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}).count(), std::nullopt);
}

TEST(Shape, TakesEightDimensions) {
    Shape shape;
    for (int i = 0; i < Shape::kMaxRank; ++i)
        EXPECT_TRUE(shape.push(i));
    EXPECT_FALSE(shape.push(9));
    EXPECT_EQ(shape.rank(), 8);
    shape.reverse();
    EXPECT_EQ(shape[0], 7);
    EXPECT_EQ(shape[7], 0);
}

TEST(Shape, ComparesAndWritesItsDimensionsOnly) {
    Shape a = {1, 2, 3};
    const Shape b = {1, 2};
    EXPECT_FALSE(a == b);
    EXPECT_EQ((Shape{576, 1536}).text(), "[576, 1536]");
    EXPECT_EQ(Shape{}.text(), "[]");
    EXPECT_EQ(a, (Shape{1, 2, 3}));
}

}  // namespace
}  // namespace fl
