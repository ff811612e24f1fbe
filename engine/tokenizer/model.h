// SPDX-License-Identifier: Apache-2.0
// What turns one piece of text into tokens: merges (Bpe), the best path (Unigram), or what a
// SentencePiece file says.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

// Immutable, safe from every thread.
class Model {
public:
    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    virtual ~Model() = default;

    // Appends the ids of `piece`. Fails only where the model has no token for an unknown character
    // and may not leave it out.
    virtual Status encode(std::string_view piece, std::vector<TokenId>& out) const = 0;
};

}  // namespace fl::tokenizer
