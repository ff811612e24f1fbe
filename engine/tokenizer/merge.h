// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging of one piece: the pair with the lowest rank first, leftmost among equals.
//
// `Rules` says for two neighbouring symbols
//     std::uint32_t rank(const Symbol& left, const Symbol& right) const;   kNoRank: they stay
//     TokenId merged(std::uint32_t rank) const;                            the id of the union
//     static constexpr bool kById                                          whether ids are needed
// Rules that judge symbols by their text alone keep no ids, which halves the memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/pair_table.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

struct Symbol {
    std::size_t begin = 0;  // in the piece
    std::size_t end = 0;
    TokenId id = -1;
};

// Up to this many symbols a plain search for the lowest rank is the fastest.
constexpr std::size_t kShortPiece = 48;

// Merges `count` symbols in place; returns how many are left.
template <class Rules>
std::size_t mergeShort(const Rules& rules, Symbol* symbols, std::size_t count) {
    std::array<std::uint32_t, kShortPiece> ranks;
    for (std::size_t i = 0; i + 1 < count; ++i)
        ranks[i] = rules.rank(symbols[i], symbols[i + 1]);
    while (count > 1) {
        const auto best = std::min_element(ranks.begin(), ranks.begin() + count - 1);
        if (*best == kNoRank)
            break;
        const auto at = static_cast<std::size_t>(best - ranks.begin());
        symbols[at].id = rules.merged(*best);
        symbols[at].end = symbols[at + 1].end;
        std::copy(symbols + at + 2, symbols + count, symbols + at + 1);
        std::copy(best + 1, ranks.begin() + count - 1, best);
        --count;
        if (at + 1 < count)
            ranks[at] = rules.rank(symbols[at], symbols[at + 1]);
        if (at > 0)
            ranks[at - 1] = rules.rank(symbols[at - 1], symbols[at]);
    }
    return count;
}

// A list of numbers below 2^24, three bytes each.
class PackedList {
public:
    void resize(std::size_t count, std::uint32_t value) {
        bytes_.resize(3 * count + 1);
        for (std::size_t i = 0; i < count; ++i)
            set(i, value);
    }
    std::uint32_t get(std::size_t at) const {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes_.data() + 3 * at, 4);
        return value & 0xFFFFFF;
    }
    void set(std::size_t at, std::uint32_t value) { std::memcpy(&bytes_[3 * at], &value, 3); }

private:
    std::string bytes_;
};

// Long pieces in O(n log n) time and about six bytes of memory per byte of text. Symbols are bits
// where they begin; the lowest rank of each 64 bytes is a leaf of a tournament.
template <class Rules>
class LongMerge {
public:
    LongMerge(const Rules& rules, std::size_t bytes) : rules_(rules), bytes_(bytes) {
        const std::size_t blocks = bytes / 64 + 1;
        begins_.resize(blocks);
        ranks_.resize(64 * blocks, kNoRank);
        if constexpr (Rules::kById)
            ids_.resize(64 * blocks, kNoRank);
        leaves_ = std::bit_ceil(blocks);
        lowest_.assign(2 * leaves_, kNoRank);
    }

    void add(std::size_t begin, TokenId id) {
        begins_[begin / 64] |= std::uint64_t{1} << (begin % 64);
        if constexpr (Rules::kById)
            ids_.set(begin, static_cast<std::uint32_t>(id));
    }

    void run() {
        for (std::size_t at = next(0, true); at < bytes_; at = next(at))
            ranks_.set(at, rankAt(at));
        for (std::size_t block = 0; block < begins_.size(); ++block)
            lowest_[leaves_ + block] = lowestOf(block);
        for (std::size_t node = leaves_; --node > 0;)
            lowest_[node] = std::min(lowest_[2 * node], lowest_[2 * node + 1]);
        while (lowest_[1] != kNoRank)
            mergeAt(firstOf(lowest_[1]), lowest_[1]);
    }

    template <class Sink>
    void each(const Sink& sink) const {
        for (std::size_t at = next(0, true); at < bytes_; at = next(at))
            sink(symbolAt(at));
    }

private:
    // The next begin after `at` (or at it), or bytes_.
    std::size_t next(std::size_t at, bool inclusive = false) const {
        const std::size_t from = inclusive ? at : at + 1;
        std::size_t block = from / 64;
        if (block >= begins_.size())
            return bytes_;
        std::uint64_t bits = begins_[block] >> (from % 64) << (from % 64);
        while (bits == 0) {
            if (++block == begins_.size())
                return bytes_;
            bits = begins_[block];
        }
        return 64 * block + static_cast<std::size_t>(std::countr_zero(bits));
    }

    // The begin before `at`, or bytes_ if it is the first.
    std::size_t previous(std::size_t at) const {
        std::size_t block = at / 64;
        std::uint64_t bits = begins_[block] & ((std::uint64_t{1} << (at % 64)) - 1);
        while (bits == 0) {
            if (block == 0)
                return bytes_;
            bits = begins_[--block];
        }
        return 64 * block + 63 - static_cast<std::size_t>(std::countl_zero(bits));
    }

    Symbol symbolAt(std::size_t at) const {
        Symbol symbol{at, next(at), -1};
        if constexpr (Rules::kById)
            symbol.id = static_cast<TokenId>(ids_.get(at));
        return symbol;
    }

    std::uint32_t rankAt(std::size_t at) const {
        const Symbol left = symbolAt(at);
        return left.end < bytes_ ? rules_.rank(left, symbolAt(left.end)) : kNoRank;
    }

    std::uint32_t lowestOf(std::size_t block) const {
        std::uint32_t lowest = kNoRank;
        for (std::uint64_t bits = begins_[block]; bits != 0; bits &= bits - 1)
            lowest = std::min(
                lowest, ranks_.get(64 * block + static_cast<std::size_t>(std::countr_zero(bits))));
        return lowest;
    }

    // The leftmost begin with this rank, which is the lowest.
    std::size_t firstOf(std::uint32_t rank) const {
        std::size_t node = 1;
        while (node < leaves_)
            node = lowest_[2 * node] == rank ? 2 * node : 2 * node + 1;
        const std::size_t block = node - leaves_;
        std::uint64_t bits = begins_[block];
        while (ranks_.get(64 * block + static_cast<std::size_t>(std::countr_zero(bits))) != rank)
            bits &= bits - 1;
        return 64 * block + static_cast<std::size_t>(std::countr_zero(bits));
    }

    void mergeAt(std::size_t at, std::uint32_t rank) {
        const std::size_t right = next(at);
        begins_[right / 64] &= ~(std::uint64_t{1} << (right % 64));
        if constexpr (Rules::kById)
            ids_.set(at, static_cast<std::uint32_t>(rules_.merged(rank)));
        ranks_.set(at, rankAt(at));
        const std::size_t left = previous(at);
        if (left < bytes_) {
            ranks_.set(left, rankAt(left));
            update(left / 64);
        }
        update(right / 64);
        update(at / 64);
    }

    void update(std::size_t block) {
        std::size_t node = leaves_ + block;
        const std::uint32_t lowest = lowestOf(block);
        if (lowest_[node] == lowest)
            return;
        lowest_[node] = lowest;
        while (node > 1) {
            node /= 2;
            const std::uint32_t both = std::min(lowest_[2 * node], lowest_[2 * node + 1]);
            if (lowest_[node] == both)
                return;
            lowest_[node] = both;
        }
    }

    const Rules& rules_;
    std::size_t bytes_;
    std::vector<std::uint64_t> begins_;
    PackedList ranks_;
    PackedList ids_;
    std::size_t leaves_ = 1;
    std::vector<std::uint32_t> lowest_;
};

}  // namespace fl::tokenizer
