// SPDX-License-Identifier: Apache-2.0
// The pieces of a tokenizer: ids, spellings and the bytes they stand for, in one block of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

// How a file writes its pieces.
enum class Spelling : std::uint8_t {
    ByteAlphabet,  // "Ġthe" is " the"; what is not of the alphabet stands for itself
    Plain,         // a piece is its own bytes
};

class Vocabulary {
public:
    explicit Vocabulary(Spelling spelling = Spelling::ByteAlphabet) : spelling_(spelling) {}

    // Fails where an id is negative, absurdly large or taken by another spelling. Of two ids with
    // one spelling the first is found.
    Status add(std::string_view spelling, std::int64_t id);
    // The same for a token that no text becomes by itself: added, control and byte tokens.
    Status addLiteral(std::string_view spelling, std::int64_t id);

    // −1: none.
    TokenId findSpelling(std::string_view spelling) const;
    TokenId findBytes(std::string_view bytes) const;  // literals are not found

    std::string spelling(TokenId id) const;  // "" if the id names nothing
    // What the token stands for; in a byte-level vocabulary, what it adds to a decoded text.
    std::string_view bytes(TokenId id) const;
    bool isLiteral(TokenId id) const;
    bool has(TokenId id) const;
    TokenId size() const { return static_cast<TokenId>(entries_.size()); }
    std::size_t longest() const { return longest_; }  // in bytes

private:
    enum class Entered : std::uint8_t { None, Piece, Literal, SpelledLiteral };
    struct Entry {
        std::uint32_t begin = 0;
        std::uint32_t length : 30 = 0;
        std::uint32_t kind : 2 = 0;
    };
    // Open addressing by linear probing; the tag spares a look at most other texts.
    struct Slot {
        std::uint32_t tag = 0;
        TokenId id = -1;
    };
    struct Table {
        std::vector<Slot> slots;
        std::size_t used = 0;
    };

    Status put(std::string_view bytes, std::string_view spelling, std::int64_t id, Entered kind);
    TokenId find(const Table& table, std::string_view text) const;
    void insert(Table& table, std::string_view text, TokenId id);
    void grow(Table& table);
    const Entry* entry(TokenId id) const;

    Spelling spelling_;
    std::string text_;
    std::vector<Entry> entries_;
    Table pieces_;
    Table literals_;
    std::size_t longest_ = 0;
};

}  // namespace fl::tokenizer
