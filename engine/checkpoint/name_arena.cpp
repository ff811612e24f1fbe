// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/name_arena.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fl::checkpoint {

// Each shard begins with blocks of its own, and there may be a hundred thousand shards of a few
// tensors, or a few of a hundred thousand: blocks double, so that at most half is left empty.
constexpr std::size_t kFirstBlock = 512;
constexpr std::size_t kLargestBlock = std::size_t{64} << 10;

std::string_view NameArena::keep(std::string_view text) {
    if (text.empty())
        return {};
    if (size_ - used_ < text.size()) {
        size_ = std::max(std::clamp(size_ * 2, kFirstBlock, kLargestBlock), text.size());
        used_ = 0;
        blocks_.push_back(std::make_unique<char[]>(size_));
    }
    char* const place = blocks_.back().get() + used_;
    std::memcpy(place, text.data(), text.size());
    used_ += text.size();
    return {place, text.size()};
}

void NameArena::absorb(NameArena&& other) {
    // In front of the block that is being filled.
    blocks_.insert(blocks_.empty() ? blocks_.end() : blocks_.end() - 1,
                   std::make_move_iterator(other.blocks_.begin()),
                   std::make_move_iterator(other.blocks_.end()));
    other.blocks_.clear();
    other.used_ = other.size_ = 0;
}

}  // namespace fl::checkpoint
