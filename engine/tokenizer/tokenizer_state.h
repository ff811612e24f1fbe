// SPDX-License-Identifier: Apache-2.0
// What a loaded tokenizer consists of; filled by tokenizer_json.cpp and tokenizer_gguf.cpp.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

struct Tokenizer::State {
    State(Vocabulary pieces, const BpeOptions& options)
        : vocabulary(std::move(pieces)),
          bpe(vocabulary, options) {}

    Vocabulary vocabulary;  // added tokens included
    Bpe bpe;
    AddedTokens rawAdded;         // looked for in the text as it is
    AddedTokens normalizedAdded;  // looked for after normalisation
    std::unordered_set<TokenId> specials;
    std::vector<NormalForm> normalizers;
    PreTokenizer preTokenizer;

    // What addSpecialTokens puts around a text.
    std::vector<TokenId> prefix;
    std::vector<TokenId> suffix;

    TokenId bos = -1;
    std::vector<TokenId> eos;
    std::string chatTemplate;

    // Puts `token` where encode() looks for it. Call once the normalizers are known.
    Status recognise(AddedToken token);
    void addEos(TokenId id);  // unless it is −1 or there already
    Result<std::string> normalize(std::string_view text) const;
};

}  // namespace fl::tokenizer
