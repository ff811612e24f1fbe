// SPDX-License-Identifier: Apache-2.0
#include "engine/base/dtype.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace fl {
namespace {

TEST(DType, NamesEveryTypeOnce) {
    std::set<std::string_view> names;
    for (int i = 0; i < kDTypeCount; ++i) {
        const auto type = static_cast<DType>(i);
        EXPECT_TRUE(names.insert(name(type)).second);
        EXPECT_EQ(dtypeFromName(name(type)), type);
    }
    EXPECT_EQ(dtypeFromName("bf16"), std::nullopt);
    EXPECT_EQ(dtypeFromName(""), std::nullopt);
}

// ggml-common.h: sizeof(block_q4_0) and its siblings.
TEST(DType, HasTheBlocksOfGgml) {
    EXPECT_EQ(rowBytes(DType::Q4_0, 64), 2 * (2 + 16));
    EXPECT_EQ(rowBytes(DType::Q4_1, 64), 2 * (2 + 2 + 16));
    EXPECT_EQ(rowBytes(DType::Q8_0, 64), 2 * (2 + 32));
    EXPECT_EQ(rowBytes(DType::Q4_K, 256), 2 + 2 + 12 + 128);
    EXPECT_EQ(rowBytes(DType::Q6_K, 256), 128 + 64 + 16 + 2);
    EXPECT_EQ(rowBytes(DType::Q6_K, 128), std::nullopt);
    EXPECT_EQ(rowBytes(DType::Q4_0, 33), std::nullopt);
}

TEST(DType, PacksSmallFloatsIntoWholeBytes) {
    EXPECT_EQ(rowBytes(DType::F4, 6), 3);
    EXPECT_EQ(rowBytes(DType::F4, 5), std::nullopt);
    EXPECT_EQ(rowBytes(DType::F6E2M3, 8), 6);
    EXPECT_FALSE(isQuantised(DType::F4));
}

TEST(DType, CountsRowsOfPlainTypes) {
    EXPECT_EQ(rowBytes(DType::BF16, 3), 6);
    EXPECT_EQ(rowBytes(DType::F64, 0), 0);
    EXPECT_EQ(rowBytes(DType::F32, -1), std::nullopt);
    EXPECT_EQ(rowBytes(DType::F64, std::numeric_limits<std::int64_t>::max()), std::nullopt);
}

TEST(DType, TellsFloatsFromNumbersAndBlocks) {
    EXPECT_TRUE(isQuantised(DType::Q4_K));
    EXPECT_FALSE(isQuantised(DType::F8E4M3));
    EXPECT_TRUE(isFloat(DType::Q8_0));
    EXPECT_TRUE(isFloat(DType::F8E8M0));
    EXPECT_FALSE(isFloat(DType::U8));
    EXPECT_FALSE(isFloat(DType::Bool));
}

}  // namespace
}  // namespace fl
