// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "engine/load/part_reader.h"

namespace fl::load {

namespace {

// A value is not finite where all its exponent bits are set (IEEE 754, section 3.4).
template <class Word>
std::int64_t countAllOnes(std::span<const std::byte> bytes, Word exponent) {
    std::int64_t found = 0;
    const std::size_t count = bytes.size() / sizeof(Word);
    for (std::size_t i = 0; i < count; ++i) {
        Word word = 0;
        std::memcpy(&word, bytes.data() + i * sizeof(Word), sizeof(Word));
        found += (word & exponent) == exponent ? 1 : 0;
    }
    return found;
}

}  // namespace

std::int64_t countNonFinite(DType type, std::span<const std::byte> bytes) {
    switch (type) {
        case DType::F32:
            return countAllOnes<std::uint32_t>(bytes, 0x7F800000U);
        case DType::F16:
            return countAllOnes<std::uint16_t>(bytes, 0x7C00U);
        case DType::BF16:
            return countAllOnes<std::uint16_t>(bytes, 0x7F80U);
        case DType::F64:
            return countAllOnes<std::uint64_t>(bytes, 0x7FF0000000000000ULL);
        default:
            return 0;
    }
}

}  // namespace fl::load
