// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/ggml_type.h"

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(GgmlType, KnowsEveryTypeOfGgml) {
    int known = 0;
    for (std::uint32_t number = 0; number < 64; ++number)
        known += ggmlType(number) ? 1 : 0;
    EXPECT_EQ(known, 34);
    EXPECT_EQ(ggmlType(6), DType::Q5_0);
    EXPECT_EQ(ggmlType(30), DType::BF16);
    EXPECT_EQ(ggmlType(41), DType::Q1_0);
}

TEST(GgmlType, KnowsNothingOfTypesThatGgmlTookAway) {
    for (const std::uint32_t number : {4U, 5U, 31U, 32U, 33U, 36U, 37U, 38U, 42U, ~0U})
        EXPECT_FALSE(ggmlType(number)) << number;
}

}  // namespace
}  // namespace fl::checkpoint
