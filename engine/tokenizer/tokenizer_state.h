// SPDX-License-Identifier: Apache-2.0
// What a loaded tokenizer consists of; filled by the readers of the several files.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/decoder.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

struct Tokenizer::State {
    explicit State(Vocabulary pieces) : vocabulary(std::move(pieces)) {}

    Kind kind = Kind::ByteLevelBpe;
    std::string sourceFile;
    const Vocabulary vocabulary;  // added tokens included; the model refers to it
    std::unique_ptr<const Model> model;
    AddedTokens rawAdded;         // looked for in the text as it is
    AddedTokens normalizedAdded;  // looked for after normalisation
    std::unordered_set<TokenId> specials;
    Normalizer normalizer;
    PreTokenizer preTokenizer;
    Decoder decoder;
    // Readers of rank files recognise all of their added tokens or none.
    bool allOrNone = false;
    // A run of more spaces or other characters than this is cut there (Kimi); 0: never.
    std::int64_t longestRun = 0;
    std::int64_t longestText = 0;  // in characters; 0: not cut

    // What addSpecialTokens puts around a text.
    std::vector<TokenId> prefix;
    std::vector<TokenId> suffix;

    TokenId bos = -1;
    std::vector<TokenId> eos;
    std::string chatTemplate;

    // Puts each where encode() looks for it. Call once, when the normalizer is known.
    Status recognise(std::vector<AddedToken> tokens);
    void addEos(TokenId id);  // unless it is −1 or there already

    bool isByteLevel() const { return kind == Kind::ByteLevelBpe || kind == Kind::Ranks; }

    struct Encoding;  // tokenizer.cpp
};

}  // namespace fl::tokenizer
