// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/census.h"

#include <limits>

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TensorInfo tensor(std::string_view name, DType dtype, Shape shape, std::int64_t bytes) {
    return {name, dtype, shape, 0, 0, bytes};
}

TEST(Census, CountsByDType) {
    Inventory inventory;
    inventory.add(tensor("a", DType::F32, {2, 3}, 24));
    inventory.add(tensor("b", DType::BF16, {32, 2}, 128));
    inventory.add(tensor("c", DType::BF16, {}, 2));
    inventory.add(tensor("d", DType::Q4_0, {4, 32}, 72));
    const Census all = census(inventory);
    EXPECT_EQ(all.tensors, 4);
    EXPECT_EQ(all.parameters, 6 + 64 + 1 + 128);
    EXPECT_EQ(all.bytes, 24 + 128 + 2 + 72);
    ASSERT_EQ(all.byDType.size(), 3U);
    EXPECT_EQ(all.byDType[0].dtype, DType::BF16);
    EXPECT_EQ(all.byDType[0].tensors, 2);
    EXPECT_EQ(all.byDType[0].parameters, 65);
    EXPECT_EQ(all.byDType[1].dtype, DType::Q4_0);
}

TEST(Census, StaysAtTheLimitOfImpossibleClaims) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    Inventory inventory;
    inventory.add(tensor("a", DType::U8, {kMost}, kMost));
    inventory.add(tensor("b", DType::U8, {kMost}, kMost));
    EXPECT_EQ(census(inventory).bytes, kMost);
}

TEST(Census, OfNothingIsEmpty) {
    EXPECT_TRUE(census({}).byDType.empty());
    EXPECT_EQ(census({}).bytes, 0);
}

}  // namespace
}  // namespace fl::checkpoint
