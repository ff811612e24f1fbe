// SPDX-License-Identifier: Apache-2.0
// Stored weights as float32 vectors and rows; compiled once per instruction set.
//
// Block layouts: ggml-common.h of the ggml project.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/api/dtype.h"

#include "hwy/highway.h"

#if defined(FIRSTLIGHT_KERNELS_CPU_WIDEN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRSTLIGHT_KERNELS_CPU_WIDEN_INL_H
#undef FIRSTLIGHT_KERNELS_CPU_WIDEN_INL_H
#else
#define FIRSTLIGHT_KERNELS_CPU_WIDEN_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most half a block of 32, so that a vector never straddles what one scale covers.
using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;
using Bytes = const std::uint8_t*;

constexpr std::int64_t kLanes = hn::MaxLanes(Floats());

HWY_INLINE Vector load(const float* from) {
    return hn::LoadU(Floats(), from);
}

HWY_INLINE Vector load(const hwy::bfloat16_t* from) {
    const hn::Rebind<std::uint16_t, Floats> halves;
    const auto bits = hn::LoadU(halves, reinterpret_cast<const std::uint16_t*>(from));
    return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(Words(), bits)));
}

HWY_INLINE Vector load(const hwy::float16_t* from) {
    const hn::Rebind<hwy::float16_t, Floats> halves;
    return hn::PromoteTo(Floats(), hn::LoadU(halves, from));
}

HWY_INLINE float loadOne(const float* from) {
    return *from;
}

HWY_INLINE float loadOne(const hwy::bfloat16_t* from) {
    return hwy::F32FromBF16(*from);
}

// hwy::F32FromF16 turns infinities and NaN into large numbers, the vector form does not.
HWY_INLINE float loadOne(const hwy::float16_t* from) {
    const hn::CappedTag<float, 1> one;
    const hn::Rebind<hwy::float16_t, decltype(one)> half;
    return hn::GetLane(hn::PromoteTo(one, hn::LoadU(half, from)));
}

HWY_INLINE float half(Bytes from) {
    hwy::float16_t value;
    std::memcpy(&value, from, sizeof value);
    return loadOne(&value);
}

HWY_INLINE hn::Vec<Words> bytesAsWords(Bytes from) {
    const hn::Rebind<std::uint8_t, Floats> bytes;
    return hn::PromoteTo(Words(), hn::LoadU(bytes, from));
}

HWY_INLINE Vector asFloats(hn::Vec<Words> small) {
    return hn::ConvertTo(Floats(), hn::BitCast(Integers(), small));
}

// Nearest bf16 value, ties to even, as float32; NaN stays NaN.
HWY_INLINE Vector roundToBf16(Vector value) {
    const Words words;
    const auto bits = hn::BitCast(words, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const auto rounded =
        hn::And(hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7fff))), hn::Set(words, 0xffff0000U));
    const auto quiet =
        hn::And(hn::Or(bits, hn::Set(words, 0x00400000)), hn::Set(words, 0xffff0000U));
    return hn::IfThenElse(hn::IsNaN(value), hn::BitCast(Floats(), quiet),
                          hn::BitCast(Floats(), rounded));
}

// Works on a whole vector so that a tail rounds exactly as the rest does.
HWY_INLINE float roundOneToBf16(float value) {
    return hn::GetLane(roundToBf16(hn::Set(Floats(), value)));
}

template <class T>
HWY_INLINE void widenPlain(const T* from, std::int64_t count, float* to) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        hn::StoreU(load(from + i), Floats(), to + i);
    for (; i < count; ++i)
        to[i] = loadOne(from + i);
}

// 16 bytes of nibbles: the low ones are values 0 … 15, the high ones 16 … 31.
HWY_INLINE void widenNibbles(Bytes nibbles, float scale, float offset, float* to) {
    const Floats d;
    const auto scales = hn::Set(d, scale);
    const auto offsets = hn::Set(d, offset);
    for (std::int64_t i = 0; i < 16; i += kLanes) {
        const auto both = bytesAsWords(nibbles + i);
        const auto low = asFloats(hn::And(both, hn::Set(Words(), 15)));
        const auto high = asFloats(hn::ShiftRight<4>(both));
        hn::StoreU(hn::MulAdd(low, scales, offsets), d, to + i);
        hn::StoreU(hn::MulAdd(high, scales, offsets), d, to + 16 + i);
    }
}

HWY_INLINE void widenQ40(Bytes block, float* to) {
    const float scale = half(block);
    widenNibbles(block + 2, scale, -8 * scale, to);
}

HWY_INLINE void widenQ41(Bytes block, float* to) {
    widenNibbles(block + 4, half(block), half(block + 2), to);
}

HWY_INLINE void widenQ80(Bytes block, float* to) {
    const hn::Rebind<std::int8_t, Floats> bytes;
    const auto scales = hn::Set(Floats(), half(block));
    for (std::int64_t i = 0; i < 32; i += kLanes) {
        const auto q = hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(block + 2 + i));
        const auto values = hn::ConvertTo(Floats(), hn::PromoteTo(Integers(), q));
        hn::StoreU(hn::Mul(values, scales), Floats(), to + i);
    }
}

struct ScaleAndMinimum {
    float scale;
    float minimum;
};

// Eight pairs of 6-bit numbers are packed in twelve bytes.
HWY_INLINE ScaleAndMinimum unpackQ4K(Bytes packed, int part) {
    if (part < 4) {
        return {static_cast<float>(packed[part] & 63), static_cast<float>(packed[part + 4] & 63)};
    }
    return {static_cast<float>((packed[part + 4] & 15) | ((packed[part - 4] >> 6) << 4)),
            static_cast<float>((packed[part + 4] >> 4) | ((packed[part] >> 6) << 4))};
}

HWY_INLINE void widenQ4K(Bytes block, float* to) {
    const Floats d;
    const float scaleOfScales = half(block);
    const float scaleOfMinimums = half(block + 2);
    for (int pair = 0; pair < 4; ++pair) {
        const ScaleAndMinimum first = unpackQ4K(block + 4, 2 * pair);
        const ScaleAndMinimum second = unpackQ4K(block + 4, 2 * pair + 1);
        const auto lowScale = hn::Set(d, scaleOfScales * first.scale);
        const auto lowMinimum = hn::Set(d, scaleOfMinimums * first.minimum);
        const auto highScale = hn::Set(d, scaleOfScales * second.scale);
        const auto highMinimum = hn::Set(d, scaleOfMinimums * second.minimum);
        for (std::int64_t i = 0; i < 32; i += kLanes) {
            const auto both = bytesAsWords(block + 16 + pair * 32 + i);
            const auto low = asFloats(hn::And(both, hn::Set(Words(), 15)));
            const auto high = asFloats(hn::ShiftRight<4>(both));
            hn::StoreU(hn::MulSub(low, lowScale, lowMinimum), d, to + pair * 64 + i);
            hn::StoreU(hn::MulSub(high, highScale, highMinimum), d, to + pair * 64 + 32 + i);
        }
    }
}

// 32 values of a Q6_K block: four low bits from `low`, two high bits already shifted in place.
HWY_INLINE void storeQ6K(hn::Vec<Words> low, hn::Vec<Words> high, float scale, float* to) {
    const Words words;
    const auto joined = hn::Or(low, hn::And(high, hn::Set(words, 0x30)));
    const auto centred = hn::Sub(asFloats(joined), hn::Set(Floats(), 32.0F));
    hn::StoreU(hn::Mul(centred, hn::Set(Floats(), scale)), Floats(), to);
}

HWY_INLINE void widenQ6K(Bytes block, float* to) {
    const Words words;
    const auto fifteen = hn::Set(words, 15);
    const float scale = half(block + 208);
    for (int part = 0; part < 2; ++part) {
        const auto* scales = reinterpret_cast<const std::int8_t*>(block + 192 + part * 8);
        for (std::int64_t i = 0; i < 32; i += kLanes) {
            const std::int64_t group = i / 16;
            const auto first = bytesAsWords(block + part * 64 + i);
            const auto second = bytesAsWords(block + part * 64 + 32 + i);
            const auto high = bytesAsWords(block + 128 + part * 32 + i);
            float* out = to + part * 128 + i;
            storeQ6K(hn::And(first, fifteen), hn::ShiftLeft<4>(high), scale * scales[group], out);
            storeQ6K(hn::And(second, fifteen), hn::ShiftLeft<2>(high), scale * scales[group + 2],
                     out + 32);
            storeQ6K(hn::ShiftRight<4>(first), high, scale * scales[group + 4], out + 64);
            storeQ6K(hn::ShiftRight<4>(second), hn::ShiftRight<2>(high), scale * scales[group + 6],
                     out + 96);
        }
    }
}

template <void (*kWiden)(Bytes, float*)>
HWY_INLINE void widenBlocks(
    fl_dtype type, std::int64_t values, Bytes from, std::int64_t count, float* to) {
    const std::int64_t bytes = fl_row_bytes(type, values);
    for (std::int64_t i = 0; i < count; i += values, from += bytes)
        kWiden(from, to + i);
}

// `count` values of a weight type, whole blocks. `from` needs no alignment.
inline HWY_NOINLINE void widenRow(fl_dtype type, Bytes from, std::int64_t count, float* to) {
    switch (type) {
        case FL_F32:
            std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
            break;
        case FL_F16:
            widenPlain(reinterpret_cast<const hwy::float16_t*>(from), count, to);
            break;
        case FL_BF16:
            widenPlain(reinterpret_cast<const hwy::bfloat16_t*>(from), count, to);
            break;
        case FL_Q4_0:
            widenBlocks<widenQ40>(type, 32, from, count, to);
            break;
        case FL_Q4_1:
            widenBlocks<widenQ41>(type, 32, from, count, to);
            break;
        case FL_Q8_0:
            widenBlocks<widenQ80>(type, 32, from, count, to);
            break;
        case FL_Q4_K:
            widenBlocks<widenQ4K>(type, 256, from, count, to);
            break;
        case FL_Q6_K:
            widenBlocks<widenQ6K>(type, 256, from, count, to);
            break;
        default:
            break;
    }
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
