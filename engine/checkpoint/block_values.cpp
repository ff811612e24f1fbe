// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/block_values.h"

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
