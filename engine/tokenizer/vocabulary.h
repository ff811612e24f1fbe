// SPDX-License-Identifier: Apache-2.0
// The pieces of a byte-level BPE: ids, spellings and the bytes they stand for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

// Look-up by string_view without a copy.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>()(text);
    }
};
using TextIds = std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>>;

class Vocabulary {
public:
    // Fails where an id is negative, absurdly large or taken by another spelling.
    Status add(std::string spelling, TokenId id);

    // −1: none.
    TokenId findSpelling(std::string_view spelling) const;
    TokenId findBytes(std::string_view bytes) const;

    const std::string& spelling(TokenId id) const;  // "" if the id names nothing
    // What the token adds to a decoded text.
    const std::string& bytes(TokenId id) const;
    TokenId size() const { return static_cast<TokenId>(entries_.size()); }

private:
    struct Entry {
        std::string spelling;
        std::string bytes;
        bool known = false;
    };
    std::vector<Entry> entries_;
    TextIds byBytes_;
    // Spellings that are not of the byte alphabet: their own bytes, never the result of a merge.
    TextIds others_;
};

}  // namespace fl::tokenizer
