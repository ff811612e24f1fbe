// SPDX-License-Identifier: Apache-2.0
#include "engine/load/part_list.h"

#include <gtest/gtest.h>

namespace fl::load {

namespace {

using checkpoint::TensorInfo;

TensorInfo tensorAt(std::string_view name, DType dtype, Shape shape, std::int64_t offset) {
    TensorInfo tensor{name, dtype, shape, 0, offset, 0};
    tensor.bytes = *rowBytes(dtype, *shape.count());
    return tensor;
}

plan::Slice sliceOf(graph::WeightId weight, int axis, std::int64_t begin, std::int64_t end) {
    plan::Slice slice;
    slice.weight = weight;
    slice.axis = axis;
    slice.begin = begin;
    slice.end = end;
    return slice;
}

}  // namespace

TEST(PartList, CutsRowsAsOneRun) {
    const std::vector<std::vector<TensorInfo>> tensors = {
        {tensorAt("w", DType::BF16, {8, 4}, 100)}};
    const std::vector<plan::Slice> slices = {sliceOf(0, 0, 2, 5)};
    const auto list = makeParts(slices, tensors);
    ASSERT_TRUE(list) << list.error().message;
    ASSERT_EQ(list->parts.size(), 1U);
    EXPECT_EQ(list->parts[0].fileOffset, 100 + 2 * 8);
    EXPECT_EQ(list->parts[0].rows, 1);
    EXPECT_EQ(list->parts[0].rowBytes, 3 * 8);
    EXPECT_EQ(list->weights[0].shape, (Shape{3, 4}));
    EXPECT_EQ(list->weights[0].firstRow, 2);
    EXPECT_EQ(list->storedBytes, 24);
    EXPECT_EQ(list->bytes, 64);
}

TEST(PartList, CutsColumnsAsOneRunPerRow) {
    const std::vector<std::vector<TensorInfo>> tensors = {
        {tensorAt("w", DType::Q4_1, {8, 128}, 0)}};
    const std::vector<plan::Slice> slices = {sliceOf(0, 1, 32, 96)};
    const auto list = makeParts(slices, tensors);
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_EQ(list->parts[0].fileOffset, 20);
    EXPECT_EQ(list->parts[0].rows, 8);
    EXPECT_EQ(list->parts[0].rowBytes, 40);
    EXPECT_EQ(list->parts[0].rowStride, 80);
    EXPECT_EQ(list->weights[0].firstRow, 0);
}

TEST(PartList, TiedWeightsShareOnePlace) {
    const TensorInfo table = tensorAt("embed", DType::F32, {8, 4}, 0);
    const std::vector<std::vector<TensorInfo>> tensors = {{table}, {table}};
    const std::vector<plan::Slice> slices = {sliceOf(0, 0, 0, 4), sliceOf(1, 0, 0, 4),
                                             sliceOf(0, 0, 4, 8)};
    const auto list = makeParts(slices, tensors);
    ASSERT_TRUE(list);
    EXPECT_EQ(list->parts.size(), 2U);
    EXPECT_EQ(list->weights[0].targets, list->weights[1].targets);
    EXPECT_NE(list->weights[0].targets, list->weights[2].targets);
    EXPECT_EQ(list->storedBytes, 128);
}

TEST(PartList, TakesOnlyTheExpertsOfTheRank) {
    std::vector<std::vector<TensorInfo>> tensors(1);
    for (int i = 0; i < 4; ++i)
        tensors[0].push_back(tensorAt("expert", DType::F32, {2, 2}, 16 * i));
    plan::Slice slice;
    slice.firstExpert = 1;
    slice.expertCount = 2;
    const auto list = makeParts({&slice, 1}, tensors);
    ASSERT_TRUE(list);
    ASSERT_EQ(list->parts.size(), 2U);
    EXPECT_EQ(list->parts[0].fileOffset, 16);
    EXPECT_EQ(list->weights[0].firstExpert, 1);
    EXPECT_EQ(list->weights[0].targets.size(), 2U);
}

TEST(PartList, RefusesASliceThroughABlock) {
    const std::vector<std::vector<TensorInfo>> tensors = {
        {tensorAt("blk.0.ffn_down", DType::Q4_K, {8, 512}, 0)}};
    const std::vector<plan::Slice> slices = {sliceOf(0, 1, 0, 128)};
    const auto list = makeParts(slices, tensors);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().message,
              "tensor blk.0.ffn_down: slice [0, 128) along dimension 1 of [8, 512] cuts through a "
              "quantisation block");
}

TEST(PartList, RefusesASliceOutsideItsTensor) {
    const std::vector<std::vector<TensorInfo>> tensors = {{tensorAt("w", DType::F32, {8, 4}, 0)}};
    for (const auto& slice : {sliceOf(0, 0, 4, 9), sliceOf(0, 2, 0, 1), sliceOf(0, 0, 3, 3)})
        EXPECT_FALSE(makeParts({&slice, 1}, tensors));
}

TEST(PartList, RefusesAFamilyOfDifferentTypes) {
    const std::vector<std::vector<TensorInfo>> tensors = {
        {tensorAt("e0", DType::F32, {2, 2}, 0), tensorAt("e1", DType::BF16, {2, 2}, 16)}};
    plan::Slice slice;
    slice.expertCount = 2;
    const auto list = makeParts({&slice, 1}, tensors);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().message, "tensor e1: BF16 [2, 2], while e0 is F32 [2, 2]");
}

}  // namespace fl::load
