// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_reader.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

const std::vector<float> kValues = {0, 1, -2, 0.5F, 100, -0.25F};

class TensorReader : public ::testing::Test {
protected:
    // Opens a folder of these tensors.
    void open(const std::vector<test::TinyTensor>& tensors) {
        test::writeHubFolder(folder_.path(), tensors, 1);
        checkpoint_ = *openCheckpoint(folder_.path());
    }
    const TensorInfo& tensor(std::string_view name) const {
        return *checkpoint_.inventory.find(name);
    }

    test::TempDir folder_;
    Checkpoint checkpoint_;
};

TEST_F(TensorReader, ReadsFloatsOfEveryPlainType) {
    std::vector<test::TinyTensor> tensors;
    for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16})
        tensors.push_back(test::tinyTensor(std::string(name(dtype)), dtype, {2, 3}, kValues));
    open(tensors);
    for (const test::TinyTensor& one : tensors) {
        const auto values = readFloats(checkpoint_, tensor(one.name));
        ASSERT_TRUE(values) << values.error().message;
        EXPECT_EQ(*values, kValues) << one.name;
    }
}

TEST_F(TensorReader, ReadsHalvesAtTheirLimits) {
    const std::string bytes("\x01\x00\xff\x03\xff\x7b\x00\x7c\x00\xfc\x01\x7c\x01\x80", 14);
    open({{"h", DType::F16, {7}, bytes}});
    const auto values = *readFloats(checkpoint_, tensor("h"));
    EXPECT_EQ(values[0], std::ldexp(1.0F, -24));
    EXPECT_EQ(values[1], std::ldexp(1023.0F, -24));
    EXPECT_EQ(values[2], 65504.0F);
    EXPECT_EQ(values[3], INFINITY);
    EXPECT_EQ(values[4], -INFINITY);
    EXPECT_TRUE(std::isnan(values[5]));
    EXPECT_EQ(values[6], -std::ldexp(1.0F, -24));
}

TEST_F(TensorReader, ReadsWholeNumbers) {
    open({test::tinyTensor("ids", DType::I64, {3}, {7, -1, 250}),
          test::tinyTensor("small", DType::I32, {2}, {3, -4}),
          test::tinyTensor("w", DType::F32, {1}, {1})});
    EXPECT_EQ(*readIntegers(checkpoint_, tensor("ids")), (std::vector<std::int64_t>{7, -1, 250}));
    EXPECT_EQ(*readIntegers(checkpoint_, tensor("small")), (std::vector<std::int64_t>{3, -4}));
    EXPECT_EQ(*readFloats(checkpoint_, tensor("small")), (std::vector<float>{3, -4}));
    EXPECT_EQ(readIntegers(checkpoint_, tensor("w")).error().message,
              "tensor w is F32, which cannot be read as whole numbers");
}

TEST_F(TensorReader, NamesTheNearestTensor) {
    open({test::patternTensor("embed", DType::F32, {1})});
    EXPECT_EQ(findTensor(checkpoint_, "embd").error().message,
              folder_.path() + " has no tensor embd (nearest: embed)");
    EXPECT_EQ(*findTensor(checkpoint_, "embed"), &tensor("embed"));
}

TEST_F(TensorReader, RefusesATensorTheFileHasLost) {
    open({test::patternTensor("a", DType::F32, {64})});
    const TensorInfo& a = tensor("a");
    std::filesystem::resize_file(checkpoint_.shards[0].path, 100);
    EXPECT_EQ(readBytes(checkpoint_, a).error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace fl::checkpoint
