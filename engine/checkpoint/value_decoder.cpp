// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/value_decoder.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "engine/checkpoint/block_values.h"

namespace fl::checkpoint {

namespace {

constexpr std::array<float, 16> kFp4 = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                        -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

// IEEE 754 binary16 and the eight-bit floats of OCP OFP8: sign, exponent, fraction. `e4m3` has no
// infinities, and NaN only where all other bits are set.
float fromSmallFloat(unsigned bits, int exponentBits, int fractionBits, bool e4m3) {
    const unsigned sign = bits >> (exponentBits + fractionBits);
    const unsigned exponent = (bits >> fractionBits) & ((1U << exponentBits) - 1);
    const unsigned fraction = bits & ((1U << fractionBits) - 1);
    const unsigned top = (1U << exponentBits) - 1;
    const int bias = (1 << (exponentBits - 1)) - 1;
    float value = 0;
    if (exponent == top && e4m3 && fraction == (1U << fractionBits) - 1)
        value = std::numeric_limits<float>::quiet_NaN();
    else if (exponent == top && !e4m3)
        value = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), 1 - bias - fractionBits);
    else
        value = std::ldexp(static_cast<float>(fraction + (1U << fractionBits)),
                           static_cast<int>(exponent) - bias - fractionBits);
    return sign != 0 ? -value : value;
}

template <class T, class Convert>
void each(std::span<const std::byte> bytes, std::vector<float>& out, Convert convert) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T value{};
        std::memcpy(&value, bytes.data() + at, sizeof value);
        out.push_back(convert(value));
    }
}

template <class T>
void eachAs(std::span<const std::byte> bytes, std::vector<float>& out) {
    each<T>(bytes, out, [](T value) { return static_cast<float>(value); });
}

void eachHalf(std::span<const std::byte> bytes, Encoding encoding, std::vector<float>& out) {
    const auto value = [encoding](unsigned half) {
        return encoding == Encoding::Fp4Pairs ? kFp4[half]
                                              : static_cast<float>(static_cast<int>(half) - 8);
    };
    for (const std::byte pair : bytes) {
        out.push_back(value(std::to_integer<unsigned>(pair) & 15U));
        out.push_back(value(std::to_integer<unsigned>(pair) >> 4));
    }
}

bool isBytes(DType dtype) {
    return dtype == DType::F8E4M3 || dtype == DType::F8E5M2 || dtype == DType::F8E8M0 ||
           dtype == DType::I8 || dtype == DType::U8 || dtype == DType::Bool;
}

}  // namespace

Encoding encodingOf(const Inventory& inventory, const TensorInfo& tensor) {
    const std::string_view name = tensor.name;
    const bool isPacked = name.ends_with("_packed") || name.ends_with("_blocks");
    if (tensor.dtype == DType::F4)
        return Encoding::Fp4Pairs;
    if (tensor.dtype == DType::I32 && isPacked)
        return Encoding::Int4Pairs;
    if (tensor.dtype == DType::U8 && isPacked)
        return Encoding::Fp4Pairs;
    if (tensor.dtype == DType::U8 && (name.ends_with("_scale") || name.ends_with("_scales")))
        return Encoding::E8m0;
    if (tensor.dtype == DType::I8 && name.ends_with(".weight")) {
        const std::string scale = std::string(name.substr(0, name.rfind('.'))) + ".scale";
        const TensorInfo* beside = inventory.find(scale);
        if (beside && beside->dtype == DType::F8E8M0)
            return Encoding::Fp4Pairs;
    }
    return Encoding::Plain;
}

bool decodable(DType dtype, Encoding encoding) {
    return encoding != Encoding::Plain ||
           (dtype != DType::C64 && dtype != DType::F6E2M3 && dtype != DType::F6E3M2 &&
            (!isQuantised(dtype) || hasBlockValues(dtype)));
}

std::int64_t unitBytes(DType dtype) {
    return blockLayout(dtype).bytes;
}

float fromPattern16(DType dtype, std::uint16_t bits) {
    if (dtype == DType::BF16)
        return std::bit_cast<float>(std::uint32_t{bits} << 16);
    return fromSmallFloat(bits, 5, 10, false);
}

float fromPattern8(DType dtype, Encoding encoding, std::uint8_t bits) {
    if (encoding == Encoding::E8m0 || dtype == DType::F8E8M0) {
        return bits == 255 ? std::numeric_limits<float>::quiet_NaN()
                           : std::ldexp(1.0F, int{bits} - 127);
    }
    switch (dtype) {
        case DType::F8E4M3:
            return fromSmallFloat(bits, 4, 3, true);
        case DType::F8E5M2:
            return fromSmallFloat(bits, 5, 2, false);
        case DType::I8:
            return static_cast<float>(static_cast<std::int8_t>(bits));
        default:
            return static_cast<float>(bits);
    }
}

void decode(DType dtype,
            Encoding encoding,
            std::span<const std::byte> bytes,
            std::vector<float>& out) {
    if (encoding == Encoding::Int4Pairs || encoding == Encoding::Fp4Pairs)
        return eachHalf(bytes, encoding, out);
    if (isBytes(dtype)) {
        return each<std::uint8_t>(bytes, out, [dtype, encoding](std::uint8_t bits) {
            return fromPattern8(dtype, encoding, bits);
        });
    }
    switch (dtype) {
        case DType::F32:
            return eachAs<float>(bytes, out);
        case DType::F64:
            return eachAs<double>(bytes, out);
        case DType::F16:
        case DType::BF16:
            return each<std::uint16_t>(
                bytes, out, [dtype](std::uint16_t bits) { return fromPattern16(dtype, bits); });
        case DType::I16:
            return eachAs<std::int16_t>(bytes, out);
        case DType::U16:
            return eachAs<std::uint16_t>(bytes, out);
        case DType::I32:
            return eachAs<std::int32_t>(bytes, out);
        case DType::U32:
            return eachAs<std::uint32_t>(bytes, out);
        case DType::I64:
            return eachAs<std::int64_t>(bytes, out);
        case DType::U64:
            return eachAs<std::uint64_t>(bytes, out);
        default:
            return decodeBlocks(dtype, bytes, out);
    }
}

}  // namespace fl::checkpoint
