// SPDX-License-Identifier: Apache-2.0
// Finds the added tokens of a tokenizer in text: leftmost, then longest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

// A stretch of text, or a token found in it (`id` ≥ 0).
struct TextPart {
    std::string_view text;
    TokenId id = -1;
};

class AddedTokens {
public:
    void add(AddedToken token);

    // Cuts `text` at the tokens; none of the parts is an empty text. With `skipSpecial` those
    // marked special stay text.
    std::vector<TextPart> split(std::string_view text, bool skipSpecial) const;

    bool empty() const { return tokens_.empty(); }

private:
    // Index of the longest token that begins at `at`, or −1.
    std::int32_t longestAt(std::string_view text, std::size_t at) const;

    std::vector<AddedToken> tokens_;
    struct Node {
        std::int32_t token = -1;
    };
    std::vector<Node> nodes_{Node{}};
    // (node << 8 | byte) to the next node.
    std::unordered_map<std::uint64_t, std::int32_t> edges_;
};

}  // namespace fl::tokenizer
