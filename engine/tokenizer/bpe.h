// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging of one piece: the pair with the lowest rank first, leftmost among equals.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

struct BpeOptions {
    bool ignoreMerges = false;  // a piece that is a token as a whole is not merged
    TokenId unknown = -1;       // for bytes without a token; −1: they vanish
    bool fuseUnknown = false;   // a run of them is one unknown token
};

class Bpe {
public:
    // Fixes the tokens of single bytes: the vocabulary is complete by now.
    Bpe(const Vocabulary& vocabulary, const BpeOptions& options);

    // Adds the next merge rule; both sides and their union must be tokens.
    Status addMerge(const Vocabulary& vocabulary, std::string_view left, std::string_view right);

    // Appends the ids of `piece`, any bytes, in O(n log n).
    void encode(const Vocabulary& vocabulary,
                std::string_view piece,
                std::vector<TokenId>& out) const;

private:
    struct Rule {
        std::int32_t rank = 0;
        TokenId merged = -1;
    };
    struct Symbol;
    const Rule* ruleFor(TokenId left, TokenId right) const;
    std::vector<Symbol> symbolsOf(std::string_view piece) const;

    BpeOptions options_;
    std::array<TokenId, 256> byteIds_{};
    std::unordered_map<std::uint64_t, Rule> rules_;
    std::int32_t nextRank_ = 0;
};

}  // namespace fl::tokenizer
