// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging by the rank of what comes out, as tiktoken does it: a piece that is a token is
// taken whole, otherwise the pair that joins to the lowest token goes first.
#pragma once

#include <string_view>
#include <vector>

#include "engine/tokenizer/merge.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

// Two symbols join if their text together is a piece. `rankOf` gives ranks by id; without it an
// id is its own rank.
struct JoinedRules {
    static constexpr bool kById = false;
    const Vocabulary& vocabulary;
    std::string_view text;
    const std::vector<std::uint32_t>* rankOf = nullptr;

    std::uint32_t rank(const Symbol& left, const Symbol& right) const {
        if (right.end - left.begin > vocabulary.longest())
            return kNoRank;
        const TokenId id = vocabulary.findBytes(text.substr(left.begin, right.end - left.begin));
        if (id < 0)
            return kNoRank;
        return rankOf == nullptr ? static_cast<std::uint32_t>(id)
                                 : (*rankOf)[static_cast<std::size_t>(id)];
    }
    TokenId merged(std::uint32_t /*rank*/) const { return -1; }
};

// Corrupt if some byte is no token.
Status checkAllBytes(const Vocabulary& vocabulary);

class RankBpe final : public Model {
public:
    // `vocabulary` passes checkAllBytes() and outlives the model.
    explicit RankBpe(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

    Status encode(std::string_view piece, std::vector<TokenId>& out) const override;

private:
    const Vocabulary& vocabulary_;
};

}  // namespace fl::tokenizer
