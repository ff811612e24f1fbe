// SPDX-License-Identifier: Apache-2.0
// Covers: engine/checkpoint/block_values.cpp
#include "engine/checkpoint/value_decoder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/checkpoint/block_values.h"

namespace fl::checkpoint {
namespace {

std::vector<float> valuesOf(DType dtype, Encoding encoding, const std::vector<int>& bytes) {
    std::vector<std::byte> raw;
    for (const int byte : bytes)
        raw.push_back(static_cast<std::byte>(byte));
    std::vector<float> out;
    decode(dtype, encoding, raw, out);
    return out;
}

TEST(ValueDecoder, ReadsSmallFloats) {
    // OCP OFP8 §5: largest, smallest, NaN.
    EXPECT_EQ(fromPattern8(DType::F8E4M3, Encoding::Plain, 0x7e), 448.0F);
    EXPECT_EQ(fromPattern8(DType::F8E4M3, Encoding::Plain, 0x01), std::ldexp(1.0F, -9));
    EXPECT_TRUE(std::isnan(fromPattern8(DType::F8E4M3, Encoding::Plain, 0xff)));
    EXPECT_EQ(fromPattern8(DType::F8E5M2, Encoding::Plain, 0x7b), 57344.0F);
    EXPECT_TRUE(std::isinf(fromPattern8(DType::F8E5M2, Encoding::Plain, 0x7c)));
    EXPECT_EQ(fromPattern8(DType::F8E8M0, Encoding::Plain, 127), 1.0F);
    EXPECT_TRUE(std::isnan(fromPattern8(DType::U8, Encoding::E8m0, 255)));
    EXPECT_EQ(fromPattern16(DType::F16, 0x3c00), 1.0F);
    EXPECT_EQ(fromPattern16(DType::F16, 0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(fromPattern16(DType::BF16, 0xc0a0), -5.0F);
}

TEST(ValueDecoder, TakesPackedValuesApart) {
    EXPECT_EQ(valuesOf(DType::I32, Encoding::Int4Pairs, {0x80, 0xf7}),
              (std::vector<float>{-8, 0, -1, 7}));
    EXPECT_EQ(valuesOf(DType::U8, Encoding::Fp4Pairs, {0x71, 0xf2}),
              (std::vector<float>{0.5F, 6, 1, -6}));
}

TEST(ValueDecoder, KnowsPackedTensorsByNameAndNeighbour) {
    Inventory inventory;
    const auto add = [&inventory](std::string_view name, DType dtype) {
        TensorInfo info;
        info.name = name;
        info.dtype = dtype;
        inventory.add(info);
    };
    add("a.weight_packed", DType::I32);
    add("b.weight_packed", DType::U8);
    add("b.weight_scale", DType::U8);
    add("c.weight", DType::I8);
    add("c.scale", DType::F8E8M0);
    add("d.weight", DType::I8);
    inventory.finish();
    const auto encoding = [&inventory](std::string_view name) {
        return encodingOf(inventory, *inventory.find(name));
    };
    EXPECT_EQ(encoding("a.weight_packed"), Encoding::Int4Pairs);
    EXPECT_EQ(encoding("b.weight_packed"), Encoding::Fp4Pairs);
    EXPECT_EQ(encoding("b.weight_scale"), Encoding::E8m0);
    EXPECT_EQ(encoding("c.weight"), Encoding::Fp4Pairs);
    EXPECT_EQ(encoding("d.weight"), Encoding::Plain);
}

TEST(ValueDecoder, ReadsTheBlocksOfGguf) {
    std::vector<int> q8 = {0x00, 0x38};  // scale 0.5
    for (int i = 0; i < 32; ++i)
        q8.push_back(i == 3 ? 0xfe : 4);
    const auto eight = valuesOf(DType::Q8_0, Encoding::Plain, q8);
    ASSERT_EQ(eight.size(), 32U);
    EXPECT_EQ(eight[0], 2.0F);
    EXPECT_EQ(eight[3], -1.0F);
    std::vector<int> q4 = {0x00, 0x3c};  // scale 1
    for (int i = 0; i < 16; ++i)
        q4.push_back(0x97);
    const auto four = valuesOf(DType::Q4_0, Encoding::Plain, q4);
    ASSERT_EQ(four.size(), 32U);
    EXPECT_EQ(four[0], -1.0F);
    EXPECT_EQ(four[16], 1.0F);
    for (const DType dtype : {DType::Q4_1, DType::Q4_K, DType::Q6_K}) {
        const BlockLayout layout = blockLayout(dtype);
        const auto zeros = valuesOf(dtype, Encoding::Plain,
                                    std::vector<int>(static_cast<std::size_t>(layout.bytes)));
        EXPECT_EQ(zeros.size(), static_cast<std::size_t>(layout.values));
    }
    // One step of the last group and of the first: scales of six bits lie in two places.
    std::vector<int> q4k(144, 0);
    q4k[1] = 0x3c;
    q4k[4] = 3;  // scale of group 0
    q4k[4 + 7] = 0x10;
    q4k[4 + 11] = 2;  // scale of group 7, low bits
    q4k[16] = 0x05;
    q4k[16 + 96] = 0x70;
    const auto k = valuesOf(DType::Q4_K, Encoding::Plain, q4k);
    EXPECT_EQ(k[0], 15.0F);
    EXPECT_EQ(k[224], 14.0F);
    std::vector<int> q6k(210, 0);
    q6k[209] = 0x3c;
    q6k[192] = 2;
    q6k[0] = 0x01;
    q6k[128] = 0x03;
    EXPECT_EQ(valuesOf(DType::Q6_K, Encoding::Plain, q6k)[0], 2.0F * (49 - 32));
}

// One block of bytes (37 i + 11) mod 251 with scales at `scales`: 1/2, then 1/4.
struct BlockCase {
    DType dtype;
    std::vector<std::size_t> scales;
    float first;
    float last;
    double sum;  // of the values, each times (7 i mod 13) − 6
};

// The numbers are those of gguf-py 0.19, quants.py, dequantize().
TEST(ValueDecoder, ReadsBlocksAsGgufPyDoes) {
    const std::vector<BlockCase> cases = {
        {DType::Q4_0, {0}, -1.5F, 0.0F, -1.5},
        {DType::Q4_1, {0, 2}, 7.75F, 6.75F, -49.75},
        {DType::Q8_0, {0}, 42.5F, -14.0F, -560},
        {DType::Q4_K, {0, 2}, 63.5F, -9.0F, 1000.25},
        {DType::Q6_K, {208}, -217.5F, 1160.0F, 19763},
        {DType::Q5_0, {0}, 4.5F, 1.0F, -125},
        {DType::Q5_1, {0, 2}, 12.25F, 3.25F, -198.25},
        {DType::Q2_K, {80, 82}, 5.5F, -1.0F, -180},
        {DType::Q3_K, {108}, 1.5F, 0.0F, -969.5},
        {DType::Q5_K, {0, 2}, 451.0F, -9.0F, -6901.25},
        {DType::IQ4_NL, {0}, -17.5F, 0.5F, 38.5},
        {DType::IQ4_XS, {0}, -0.5F, -667.5F, -20239},
        {DType::TQ2_0, {64}, 1.0F, 0.0F, 50.5},
    };
    for (const BlockCase& each : cases) {
        std::vector<int> bytes;
        for (int i = 0; i < blockLayout(each.dtype).bytes; ++i)
            bytes.push_back((i * 37 + 11) % 251);
        for (std::size_t i = 0; i < each.scales.size(); ++i) {
            bytes[each.scales[i]] = 0;
            bytes[each.scales[i] + 1] = i == 0 ? 0x38 : 0x34;
        }
        const auto values = valuesOf(each.dtype, Encoding::Plain, bytes);
        ASSERT_EQ(values.size(), static_cast<std::size_t>(blockLayout(each.dtype).values));
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            sum += double{values[i]} * (static_cast<int>(i * 7 % 13) - 6);
        EXPECT_EQ(values.front(), each.first) << name(each.dtype);
        EXPECT_EQ(values.back(), each.last) << name(each.dtype);
        EXPECT_DOUBLE_EQ(sum, each.sum) << name(each.dtype);
    }
}

TEST(ValueDecoder, ReadsBlocksOfFourBitFloats) {
    std::vector<int> mxfp4(17, 0x72);
    mxfp4[0] = 128;  // 2
    const auto values = valuesOf(DType::MXFP4, Encoding::Plain, mxfp4);
    ASSERT_EQ(values.size(), 32U);
    EXPECT_EQ(values[0], 2.0F);
    EXPECT_EQ(values[16], 12.0F);
    std::vector<int> nvfp4(36, 0x72);
    nvfp4[0] = 0x38;  // 1
    nvfp4[3] = 0x30;  // 1/2
    const auto groups = valuesOf(DType::NVFP4, Encoding::Plain, nvfp4);
    ASSERT_EQ(groups.size(), 64U);
    EXPECT_EQ(groups[0], 1.0F);
    EXPECT_EQ(groups[8], 6.0F);
    EXPECT_EQ(groups[48], 0.5F);
    EXPECT_EQ(groups[63], 3.0F);
}

TEST(ValueDecoder, SaysWhatItCannotRead) {
    EXPECT_FALSE(decodable(DType::IQ2_XXS, Encoding::Plain));
    EXPECT_FALSE(decodable(DType::Q8_K, Encoding::Plain));
    EXPECT_FALSE(decodable(DType::C64, Encoding::Plain));
    EXPECT_FALSE(decodable(DType::F6E2M3, Encoding::Plain));
    EXPECT_TRUE(decodable(DType::F4, Encoding::Fp4Pairs));
    EXPECT_TRUE(decodable(DType::Q6_K, Encoding::Plain));
    EXPECT_FALSE(hasBlockValues(DType::BF16));
}

}  // namespace
}  // namespace fl::checkpoint
