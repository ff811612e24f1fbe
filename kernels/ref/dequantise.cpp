// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/dequantise.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace fl::kernels::ref {

using Bytes = const std::uint8_t*;

static std::uint16_t halfBits(Bytes from) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
}

static float half(Bytes from) {
    return floatFromHalf(halfBits(from));
}

float floatFromHalf(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    float magnitude = 0;
    if (exponent == 31) {
        magnitude = fraction != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<float>(fraction), -24);
    } else {
        magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float floatFromBf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t bf16FromFloat(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>((bits >> 16) | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

std::uint16_t halfFromFloat(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float magnitude = std::fabs(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(sign | 0x7e00);
    if (magnitude >= 65520.0F)
        return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Below 2^-14 the spacing is that of subnormals, zero among them.
    const int spacing = (exponent < -13 || magnitude == 0 ? -13 : exponent) - 11;
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -spacing)));
    // A subnormal's steps are its fraction; a carry out of the fraction raises the exponent.
    const int biased = (spacing + 24) << 10;
    return static_cast<std::uint16_t>(sign | (biased + steps));
}

static void plainRow(fl_dtype type, Bytes from, std::int64_t count, float* to) {
    if (type == FL_F32) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = type == FL_F16 ? half(from + 2 * i) : floatFromBf16(halfBits(from + 2 * i));
}

static void blockQ40(Bytes block, float* to) {
    const float scale = half(block);
    for (int i = 0; i < 16; ++i) {
        to[i] = static_cast<float>((block[2 + i] & 15) - 8) * scale;
        to[i + 16] = static_cast<float>((block[2 + i] >> 4) - 8) * scale;
    }
}

static void blockQ41(Bytes block, float* to) {
    const float scale = half(block);
    const float minimum = half(block + 2);
    for (int i = 0; i < 16; ++i) {
        to[i] = static_cast<float>(block[4 + i] & 15) * scale + minimum;
        to[i + 16] = static_cast<float>(block[4 + i] >> 4) * scale + minimum;
    }
}

static void blockQ80(Bytes block, float* to) {
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        to[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * scale;
}

// Eight pairs of 6-bit scale and minimum are packed in twelve bytes.
static void scaleAndMinimum(int index, Bytes packed, int& scale, int& minimum) {
    if (index < 4) {
        scale = packed[index] & 63;
        minimum = packed[index + 4] & 63;
    } else {
        scale = (packed[index + 4] & 15) | ((packed[index - 4] >> 6) << 4);
        minimum = (packed[index + 4] >> 4) | ((packed[index] >> 6) << 4);
    }
}

static void blockQ4K(Bytes block, float* to) {
    const float d = half(block);
    const float dMinimum = half(block + 2);
    for (int part = 0; part < 8; ++part) {
        int scale = 0;
        int minimum = 0;
        scaleAndMinimum(part, block + 4, scale, minimum);
        const Bytes nibbles = block + 16 + (part / 2) * 32;
        for (int i = 0; i < 32; ++i) {
            const int q = part % 2 == 0 ? nibbles[i] & 15 : nibbles[i] >> 4;
            to[part * 32 + i] = d * static_cast<float>(scale) * static_cast<float>(q) -
                                dMinimum * static_cast<float>(minimum);
        }
    }
}

static void blockQ6K(Bytes block, float* to) {
    const float d = half(block + 208);
    for (int i = 0; i < 256; ++i) {
        const int half128 = i / 128;
        const int quarter = (i % 128) / 32;
        const int lane = i % 32;
        const int lowByte = block[half128 * 64 + (quarter % 2) * 32 + lane];
        const int low = quarter < 2 ? lowByte & 15 : lowByte >> 4;
        const int high = (block[128 + half128 * 32 + lane] >> (2 * quarter)) & 3;
        const auto scale = static_cast<std::int8_t>(block[192 + i / 16]);
        to[i] = d * static_cast<float>(scale) * static_cast<float>((low | (high << 4)) - 32);
    }
}

bool dequantiseRow(fl_dtype type, const void* from, std::int64_t count, float* to) {
    struct Block {
        fl_dtype type;
        std::int64_t values;
        void (*decode)(Bytes, float*);
    };
    static constexpr Block kBlocks[] = {{FL_Q4_0, 32, blockQ40},
                                        {FL_Q4_1, 32, blockQ41},
                                        {FL_Q8_0, 32, blockQ80},
                                        {FL_Q4_K, 256, blockQ4K},
                                        {FL_Q6_K, 256, blockQ6K}};
    if (fl_row_bytes(type, count) < 0)
        return false;
    const auto* bytes = static_cast<Bytes>(from);
    if (type == FL_F32 || type == FL_F16 || type == FL_BF16) {
        plainRow(type, bytes, count, to);
        return true;
    }
    for (const Block& block : kBlocks) {
        if (block.type != type)
            continue;
        for (std::int64_t i = 0; i < count; i += block.values)
            block.decode(bytes + fl_row_bytes(type, i), to + i);
        return true;
    }
    return false;
}

}  // namespace fl::kernels::ref
