// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/dequantise.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace fl::kernels::ref {
namespace {

constexpr std::uint16_t kHalfOne = 0x3c00;
constexpr std::uint16_t kHalfTwo = 0x4000;

using Block = std::vector<std::uint8_t>;

Block block(std::size_t bytes) {
    return Block(bytes, 0);
}

void put(Block& to, std::size_t at, std::uint16_t half) {
    std::memcpy(&to[at], &half, sizeof half);
}

std::vector<float> decode(fl_dtype type, const Block& from, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count), -99);
    EXPECT_TRUE(dequantiseRow(type, from.data(), count, values.data()));
    return values;
}

TEST(RefHalf, WidensEveryKindOfNumber) {
    EXPECT_EQ(floatFromHalf(kHalfOne), 1);
    EXPECT_EQ(floatFromHalf(0xc000), -2);
    EXPECT_EQ(floatFromHalf(0x7bff), 65504);
    EXPECT_EQ(floatFromHalf(0x0001), std::ldexp(1.0F, -24));
    EXPECT_EQ(floatFromHalf(0x03ff), std::ldexp(1023.0F, -24));
    EXPECT_EQ(floatFromHalf(0x7c00), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(floatFromHalf(0x7c01)));
    EXPECT_TRUE(std::signbit(floatFromHalf(0x8000)));
}

TEST(RefHalf, RoundTripsEveryFiniteNumber) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = floatFromHalf(half);
        if (std::isfinite(value)) {
            ASSERT_EQ(halfFromFloat(value), half);
        }
    }
}

TEST(RefBf16, RoundsToNearestWithTiesToEven) {
    EXPECT_EQ(bf16FromFloat(1.0F), 0x3f80);
    EXPECT_EQ(bf16FromFloat(1.0F + std::ldexp(1.0F, -8)), 0x3f80);          // tie, even below
    EXPECT_EQ(bf16FromFloat(1.0F + 3 * std::ldexp(1.0F, -8)), 0x3f82);      // tie, even above
    EXPECT_EQ(bf16FromFloat(1.0F + 1.01F * std::ldexp(1.0F, -8)), 0x3f81);  // above the tie
    EXPECT_TRUE(std::isnan(floatFromBf16(bf16FromFloat(NAN))));
    EXPECT_TRUE(std::isinf(floatFromBf16(bf16FromFloat(std::numeric_limits<float>::max()))));
}

TEST(RefDequantise, Q40CentresNibbles) {
    Block bytes = block(18);
    put(bytes, 0, kHalfTwo);
    bytes[2] = 0xf3;
    const auto values = decode(FL_Q4_0, bytes, 32);
    EXPECT_EQ(values[0], 2 * (3 - 8));
    EXPECT_EQ(values[16], 2 * (15 - 8));
    EXPECT_EQ(values[1], 2 * -8);
}

TEST(RefDequantise, Q41AddsTheMinimum) {
    Block bytes = block(20);
    put(bytes, 0, kHalfTwo);
    put(bytes, 2, kHalfOne);
    bytes[4 + 15] = 0xa4;
    const auto values = decode(FL_Q4_1, bytes, 32);
    EXPECT_EQ(values[15], 2 * 4 + 1);
    EXPECT_EQ(values[31], 2 * 10 + 1);
    EXPECT_EQ(values[0], 1);
}

TEST(RefDequantise, Q80ScalesSignedBytes) {
    Block bytes = block(34);
    put(bytes, 0, kHalfTwo);
    bytes[2] = 0x80;
    bytes[33] = 5;
    const auto values = decode(FL_Q8_0, bytes, 32);
    EXPECT_EQ(values[0], -256);
    EXPECT_EQ(values[31], 10);
}

// Parts 0 … 3 have their 6-bit scale and minimum in bytes of their own, 4 … 7 in pieces.
TEST(RefDequantise, Q4KUnpacksScalesAndMinimums) {
    Block bytes = block(144);
    put(bytes, 0, kHalfOne);
    put(bytes, 2, kHalfTwo);
    bytes[4 + 1] = 0x80 | 33;   // scale 33 of part 1; high bits 2 of part 5's scale
    bytes[4 + 5] = 0x40 | 7;    // minimum 7 of part 1; high bits 1 of part 5's minimum
    bytes[4 + 9] = 0x3c;        // low bits of part 5: scale 12, minimum 3
    bytes[16] = 0x90;           // parts 0 and 1, first value
    bytes[16 + 2 * 32] = 0xb0;  // parts 4 and 5, first value
    const auto values = decode(FL_Q4_K, bytes, 256);
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(values[32], 33 * 9 - 2 * 7);
    EXPECT_EQ(values[5 * 32], (12 + 32) * 11 - 2 * (3 + 16));
}

TEST(RefDequantise, Q6KJoinsLowAndHighBits) {
    Block bytes = block(210);
    put(bytes, 208, kHalfOne);
    bytes[192 + 8 + 5] = 0xfe;    // scale −2 of values 208 … 223
    bytes[64 + 32 + 17] = 0x60;   // second half, upper nibble of byte 32 + 17: value 128 + 96 + 17
    bytes[192 + 8 + 7] = 3;       // its scale
    bytes[128 + 32 + 17] = 0xc0;  // its high bits: 3
    const auto values = decode(FL_Q6_K, bytes, 256);
    EXPECT_EQ(values[128 + 96 + 17], 3 * ((6 | 48) - 32));
    EXPECT_EQ(values[128 + 80], -2 * -32);
    EXPECT_EQ(values[0], 0);
}

TEST(RefDequantise, RefusesWhatHoldsNoWeightsAndBrokenBlocks) {
    const Block bytes = block(256);
    std::vector<float> values(256, 7);
    EXPECT_FALSE(dequantiseRow(FL_I32, bytes.data(), 4, values.data()));
    EXPECT_FALSE(dequantiseRow(FL_Q4_1, bytes.data(), 33, values.data()));
    EXPECT_FALSE(dequantiseRow(FL_Q4_K, bytes.data(), 128, values.data()));
    EXPECT_EQ(values[0], 7);
}

}  // namespace
}  // namespace fl::kernels::ref
