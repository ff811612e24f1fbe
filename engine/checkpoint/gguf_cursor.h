// SPDX-License-Identifier: Apache-2.0
// Reads the little-endian values of a GGUF header one after the other, never past its end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/cancel_token.h"

namespace fl::checkpoint {

// Is at its end once cancelled: whoever cancelled does not look at the findings.
class GgufCursor {
public:
    explicit GgufCursor(std::span<const std::byte> bytes, CancelToken cancel = {})
        : bytes_(bytes),
          cancel_(std::move(cancel)) {}

    std::size_t at() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }

    // False, without moving, if the file ends before the value does.
    template <class T>
    bool take(T& value) {
        static_assert(std::endian::native == std::endian::little);
        if (left() < sizeof value || cancel_.cancelled())
            return false;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return true;
    }

    // Precondition: size ≤ left().
    std::string_view takeText(std::size_t size) {
        const auto* text = reinterpret_cast<const char*>(bytes_.data() + at_);
        at_ += size;
        return {text, size};
    }

private:
    std::span<const std::byte> bytes_;
    CancelToken cancel_;
    std::size_t at_ = 0;
};

}  // namespace fl::checkpoint
