// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/name_arena.h"

#include <algorithm>
#include <cstring>

namespace fl::checkpoint {

// About ten thousand tensor names: small beside any model, and half a million names are fifty.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;

std::string_view NameArena::keep(std::string_view text) {
    if (text.empty())
        return {};
    if (size_ - used_ < text.size()) {
        size_ = std::max(kBlockBytes, text.size());
        used_ = 0;
        blocks_.push_back(std::make_unique<char[]>(size_));
    }
    char* const place = blocks_.back().get() + used_;
    std::memcpy(place, text.data(), text.size());
    used_ += text.size();
    return {place, text.size()};
}

}  // namespace fl::checkpoint
