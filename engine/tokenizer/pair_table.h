// SPDX-License-Identifier: Apache-2.0
// Merge rules: which pairs of tokens join, in which order, to which token.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

// Beyond all ranks; fits 24 bits, as every rank does.
constexpr std::uint32_t kNoRank = 0xFFFFFF;

class PairTable {
public:
    // Adds the rule of the next rank. A repeated pair replaces the earlier rule, as the tokenizers
    // library has it. Precondition: fewer than kNoRank rules.
    void add(TokenId left, TokenId right, TokenId merged) {
        const auto rank = static_cast<std::uint32_t>(merged_.size());
        merged_.push_back(merged);
        if (3 * (used_ + 1) > 2 * slots_.size())
            grow();
        Slot& slot = slots_[placeOf(left, right)];
        used_ += slot.rank == kNoRank ? 1 : 0;
        slot = {left, right, rank};
    }

    std::uint32_t rank(TokenId left, TokenId right) const {
        return slots_.empty() ? kNoRank : slots_[placeOf(left, right)].rank;
    }
    TokenId merged(std::uint32_t rank) const { return merged_[rank]; }
    std::size_t size() const { return merged_.size(); }

private:
    struct Slot {
        TokenId left = -1;
        TokenId right = -1;
        std::uint32_t rank = kNoRank;
    };

    std::size_t placeOf(TokenId left, TokenId right) const {
        std::uint64_t hash = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                             static_cast<std::uint32_t>(right);
        hash *= 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (hash * 0xBF58476D1CE4E5B9u >> 32) & mask;
        while (slots_[at].rank != kNoRank && (slots_[at].left != left || slots_[at].right != right))
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.rank != kNoRank)
                slots_[placeOf(slot.left, slot.right)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<TokenId> merged_;  // by rank
    std::size_t used_ = 0;
};

}  // namespace fl::tokenizer
