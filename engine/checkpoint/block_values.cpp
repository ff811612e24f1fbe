// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/block_values.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/checkpoint/value_decoder.h"

namespace fl::checkpoint {

namespace {

using Bytes = const std::uint8_t*;

float half(Bytes at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return fromPattern16(DType::F16, bits);
}

// 16 bytes of nibbles: the low halves are the first 16 values.
template <class Value>
void nibbles(Bytes at, std::vector<float>& out, Value value) {
    for (int i = 0; i < 16; ++i)
        out.push_back(value(at[i] & 15));
    for (int i = 0; i < 16; ++i)
        out.push_back(value(at[i] >> 4));
}

void q4_0(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    nibbles(block + 2, out, [scale](int q) { return static_cast<float>(q - 8) * scale; });
}

void q4_1(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    const float least = half(block + 2);
    nibbles(block + 4, out, [=](int q) { return static_cast<float>(q) * scale + least; });
}

void q8_0(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        out.push_back(static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * scale);
}

// Scale and minimum of group `group` of 8: six bits each, in twelve bytes.
std::pair<int, int> q4kScale(Bytes scales, int group) {
    if (group < 4)
        return {scales[group] & 63, scales[group + 4] & 63};
    return {(scales[group + 4] & 15) | ((scales[group - 4] >> 6) << 4),
            (scales[group + 4] >> 4) | ((scales[group] >> 6) << 4)};
}

void q4_k(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    const float least = half(block + 2);
    const Bytes scales = block + 4;
    const Bytes quants = block + 16;
    for (int group = 0; group < 8; ++group) {
        const auto [s, m] = q4kScale(scales, group);
        const float step = scale * static_cast<float>(s);
        const float shift = least * static_cast<float>(m);
        for (int i = 0; i < 32; ++i) {
            const int pair = quants[group / 2 * 32 + i];
            out.push_back(step * static_cast<float>(group % 2 == 0 ? pair & 15 : pair >> 4) -
                          shift);
        }
    }
}

void q6_k(Bytes block, std::vector<float>& out) {
    const float scale = half(block + 208);
    for (int i = 0; i < 256; ++i) {
        const int part = i / 128;  // 64 bytes of low bits and 32 of high bits each
        const int row = i / 32 % 4;
        const int at = i % 32;
        const int low = block[part * 64 + (row % 2) * 32 + at] >> (row < 2 ? 0 : 4) & 15;
        const int high = block[128 + part * 32 + at] >> (2 * row) & 3;
        const auto factor = static_cast<std::int8_t>(block[192 + i / 16]);
        out.push_back(scale * static_cast<float>(factor) *
                      static_cast<float>((low | high << 4) - 32));
    }
}

// As q4_0 and q4_1, with the fifth bits of all values in four bytes.
std::uint32_t fifthBits(Bytes at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
}

void q5_0(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    std::uint32_t high = fifthBits(block + 2);
    nibbles(block + 6, out, [&](int q) {
        const int value = q | static_cast<int>(high & 1U) << 4;
        high >>= 1;
        return static_cast<float>(value - 16) * scale;
    });
}

void q5_1(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    const float least = half(block + 2);
    std::uint32_t high = fifthBits(block + 4);
    nibbles(block + 8, out, [&](int q) {
        const int value = q | static_cast<int>(high & 1U) << 4;
        high >>= 1;
        return static_cast<float>(value) * scale + least;
    });
}

// Two bits of value i of a block whose bytes hold four values 32 apart.
int twoBits(Bytes quants, int i) {
    return quants[i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
}

void q2_k(Bytes block, std::vector<float>& out) {
    const float scale = half(block + 80);
    const float least = half(block + 82);
    for (int i = 0; i < 256; ++i) {
        const int both = block[i / 16];
        out.push_back(scale * static_cast<float>(both & 15) *
                          static_cast<float>(twoBits(block + 16, i)) -
                      least * static_cast<float>(both >> 4));
    }
}

void q3_k(Bytes block, std::vector<float>& out) {
    const float scale = half(block + 108);
    const Bytes scales = block + 96;  // 16 of six bits: the low four, then the high two
    for (int i = 0; i < 256; ++i) {
        const int group = i / 16;
        const int low = scales[group % 8] >> (group < 8 ? 0 : 4) & 15;
        const int high = scales[8 + group % 4] >> (group / 4 * 2) & 3;
        const int third = block[i % 32] >> (i / 32) & 1;  // not set: 4 less
        out.push_back(scale * static_cast<float>((low | high << 4) - 32) *
                      static_cast<float>(twoBits(block + 32, i) - (third == 0 ? 4 : 0)));
    }
}

void q5_k(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    const float least = half(block + 2);
    for (int i = 0; i < 256; ++i) {
        const int group = i / 32;
        const auto [s, m] = q4kScale(block + 4, group);
        const int low = block[48 + group / 2 * 32 + i % 32] >> (group % 2 * 4) & 15;
        const int high = block[16 + i % 32] >> group & 1;
        out.push_back(scale * static_cast<float>(s) * static_cast<float>(low | high << 4) -
                      least * static_cast<float>(m));
    }
}

constexpr std::array<std::int8_t, 16> kUneven = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                 1,    13,   25,  38,  53,  69,  89,  113};

void iq4_nl(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    nibbles(block + 2, out, [scale](int q) {
        return scale * static_cast<float>(kUneven[static_cast<std::size_t>(q)]);
    });
}

void iq4_xs(Bytes block, std::vector<float>& out) {
    const float scale = half(block);
    const int high = block[2] | block[3] << 8;
    for (int group = 0; group < 8; ++group) {
        const int low = block[4 + group / 2] >> (group % 2 * 4) & 15;
        const float step = scale * static_cast<float>((low | (high >> (2 * group) & 3) << 4) - 32);
        nibbles(block + 8 + 16 * group, out, [step](int q) {
            return step * static_cast<float>(kUneven[static_cast<std::size_t>(q)]);
        });
    }
}

// e2m1 (OCP Microscaling Formats, §5.3.3).
constexpr std::array<float, 16> kE2m1 = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                         -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

void mxfp4(Bytes block, std::vector<float>& out) {
    const float scale = fromPattern8(DType::F8E8M0, Encoding::Plain, block[0]);
    nibbles(block + 1, out, [scale](int q) { return scale * kE2m1[static_cast<std::size_t>(q)]; });
}

void nvfp4(Bytes block, std::vector<float>& out) {
    for (int group = 0; group < 4; ++group) {
        const float scale = fromPattern8(DType::F8E4M3, Encoding::Plain, block[group]);
        const Bytes pairs = block + 4 + 8 * group;
        for (int i = 0; i < 16; ++i) {
            const int q = pairs[i % 8] >> (i < 8 ? 0 : 4) & 15;
            out.push_back(scale * kE2m1[static_cast<std::size_t>(q)]);
        }
    }
}

void tq2_0(Bytes block, std::vector<float>& out) {
    const float scale = half(block + 64);
    for (int i = 0; i < 256; ++i)
        out.push_back(scale * static_cast<float>(twoBits(block, i) - 1));
}

using Decoder = void (*)(Bytes, std::vector<float>&);

Decoder decoderOf(DType dtype) {
    switch (dtype) {
        case DType::Q4_0:
            return q4_0;
        case DType::Q4_1:
            return q4_1;
        case DType::Q8_0:
            return q8_0;
        case DType::Q4_K:
            return q4_k;
        case DType::Q6_K:
            return q6_k;
        case DType::Q5_0:
            return q5_0;
        case DType::Q5_1:
            return q5_1;
        case DType::Q2_K:
            return q2_k;
        case DType::Q3_K:
            return q3_k;
        case DType::Q5_K:
            return q5_k;
        case DType::IQ4_NL:
            return iq4_nl;
        case DType::IQ4_XS:
            return iq4_xs;
        case DType::MXFP4:
            return mxfp4;
        case DType::NVFP4:
            return nvfp4;
        case DType::TQ2_0:
            return tq2_0;
        default:
            return nullptr;
    }
}

}  // namespace

bool hasBlockValues(DType dtype) {
    return decoderOf(dtype) != nullptr;
}

void decodeBlocks(DType dtype, std::span<const std::byte> bytes, std::vector<float>& out) {
    const Decoder decoder = decoderOf(dtype);
    const auto size = static_cast<std::size_t>(blockLayout(dtype).bytes);
    for (std::size_t at = 0; decoder && at + size <= bytes.size(); at += size)
        decoder(reinterpret_cast<Bytes>(bytes.data() + at), out);
}

}  // namespace fl::checkpoint
