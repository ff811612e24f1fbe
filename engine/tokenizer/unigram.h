// SPDX-License-Identifier: Apache-2.0
// The path of pieces with the best sum of scores (Viterbi), as the tokenizers library and
// SentencePiece find it, to the rounding of their sums.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tokenizer/model.h"
#include "engine/tokenizer/piece_trie.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

struct UnigramOptions {
    TokenId unknown = -1;  // −1: an unknown character is an error
    bool byteFallback = false;
    double unknownScore = 0;
    // Sums are kept in 32 bits, as SentencePiece does; the tokenizers library has 64.
    bool singlePrecision = false;
    // A run of unknown characters is looked up as a piece once more (tokenizers).
    bool looksUpUnknown = true;
};

class Unigram final : public Model {
public:
    // `found` are the ids that text can become; `scores` are by id.
    Unigram(const Vocabulary& vocabulary,
            const std::vector<TokenId>& found,
            std::vector<double> scores,
            const UnigramOptions& options);

    Status encode(std::string_view piece, std::vector<TokenId>& out) const override;

private:
    class Path;
    Status emitUnknown(std::string_view run, std::vector<TokenId>& out) const;

    const Vocabulary& vocabulary_;
    UnigramOptions options_;
    std::vector<double> scores_;
    PieceTrie trie_;
    std::size_t longest_ = 4;
    std::vector<TokenId> byteIds_;  // 256, or none
};

}  // namespace fl::tokenizer
