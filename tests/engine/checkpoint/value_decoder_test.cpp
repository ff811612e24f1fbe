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

TEST(ValueDecoder, SaysWhatItCannotRead) {
    EXPECT_FALSE(decodable(DType::C64, Encoding::Plain));
    EXPECT_FALSE(decodable(DType::F6E2M3, Encoding::Plain));
    EXPECT_TRUE(decodable(DType::F4, Encoding::Fp4Pairs));
    EXPECT_TRUE(decodable(DType::Q6_K, Encoding::Plain));
    EXPECT_FALSE(hasBlockValues(DType::BF16));
}

}  // namespace
}  // namespace fl::checkpoint
