// SPDX-License-Identifier: Apache-2.0
// Size arithmetic on numbers that came from a file: every overflow is seen.
#pragma once

#include <cstdint>
#include <optional>

namespace fl {

inline std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return std::nullopt;
    return sum;
}

inline std::optional<std::int64_t> checkedMultiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        return std::nullopt;
    return product;
}

// Precondition: divisor > 0, value ≥ 0.
constexpr std::int64_t ceilDivide(std::int64_t value, std::int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// Precondition: multiple > 0, value ≥ 0 and far from the limit of the type.
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
    return ceilDivide(value, multiple) * multiple;
}

}  // namespace fl
