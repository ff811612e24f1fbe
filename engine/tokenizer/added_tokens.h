// SPDX-License-Identifier: Apache-2.0
// Finds the added tokens of a tokenizer in text: leftmost, then longest.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/tokenizer/piece_trie.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

struct AddedToken {
    TokenId id = -1;
    std::string content;
    bool special = false;
    bool singleWord = false;  // not next to a word character
    bool stripLeft = false;   // takes white space before it along
    bool stripRight = false;
    bool normalized = false;  // is looked for after normalisation
};

// Content and flags as tokenizer.json and tokenizer_config.json write them; neither id nor
// `normalized`, which they tell in ways of their own.
AddedToken addedTokenOf(const Json& entry);

// A stretch of text, or a token found in it (`id` ≥ 0).
struct TextPart {
    std::string_view text;
    TokenId id = -1;
};

class AddedTokens {
public:
    void add(AddedToken token);
    void finish();  // after the last add()

    // Cuts `text` at the tokens and hands the parts out in order; none is an empty text. With
    // `skipSpecial` those marked special stay text. Stops at the first error of `sink`.
    Status split(std::string_view text,
                 bool skipSpecial,
                 const std::function<Status(const TextPart&)>& sink) const;

    bool empty() const { return tokens_.empty(); }

private:
    std::vector<AddedToken> tokens_;
    PieceTrie trie_;  // its ids are indices of tokens_
    std::array<bool, 256> begins_{};
};

}  // namespace fl::tokenizer
