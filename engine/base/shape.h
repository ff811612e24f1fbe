// SPDX-License-Identifier: Apache-2.0
// Dimensions of a tensor, outermost first, kept inline so that half a million of them cost no
// allocation.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace fl {

class Shape {
public:
    static constexpr int kMaxRank = 8;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> dims);

    // False if the shape is full already.
    bool push(std::int64_t dim);
    void reverse();

    int rank() const { return rank_; }
    std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
    std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }
    std::span<const std::int64_t> dims() const { return {dims_.data(), rank_}; }

    // Product of the dimensions (1 for rank 0); nothing if it overflows or a dimension is negative.
    std::optional<std::int64_t> count() const;

    // "[576, 1536]"
    std::string text() const;

    bool operator==(const Shape& other) const;

private:
    std::array<std::int64_t, kMaxRank> dims_{};
    std::uint8_t rank_ = 0;
};

}  // namespace fl
