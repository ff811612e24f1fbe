// SPDX-License-Identifier: Apache-2.0
// What a SentencePiece model does to text: replace characters, mark spaces, keep its user's symbols
// whole, then merge or find the best path. After https://github.com/google/sentencepiece 0.2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/charsmap.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/piece_trie.h"
#include "engine/tokenizer/tokenizer_state.h"
#include "engine/tokenizer/unigram.h"

namespace fl::tokenizer {

enum class PieceType : std::uint8_t { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };

// As the file has it.
struct SentencePieceSpec {
    struct Piece {
        std::string text;
        float score = 0;
        PieceType type = PieceType::Normal;
    };
    std::vector<Piece> pieces;
    bool isBpe = false;  // otherwise Unigram
    bool byteFallback = false;
    std::string charsmap;
    bool addDummyPrefix = true;
    bool removeExtraSpaces = true;
    bool escapeSpaces = true;
    bool spaceIsSuffix = false;
};

// The serialised ModelProto. Fields that are not needed are passed over.
Result<SentencePieceSpec> parseSentencePiece(std::string_view bytes);

// A state whose model is this one; nothing is recognised in it yet but the user's symbols.
Result<std::unique_ptr<Tokenizer::State>> sentencePieceState(SentencePieceSpec spec);

class SentencePieceModel final : public Model {
public:
    SentencePieceModel(const Vocabulary& vocabulary, SentencePieceSpec spec);
    Status prepare();  // once, before encode()

    Status encode(std::string_view text, std::vector<TokenId>& out) const override;

private:
    struct Piece {
        std::string_view text;
        std::size_t consumed = 0;
    };
    Piece normalizedPrefix(std::string_view text) const;
    std::string normalized(std::string_view text) const;
    void appendMarked(std::string& out, std::string_view text) const;

    void prepareBpe();
    void prepareUnigram();
    void encodeWords(std::string_view text, bool& afterUnknown, std::vector<TokenId>& out) const;
    void merge(std::string_view word, bool& afterUnknown, std::vector<TokenId>& out) const;
    void emit(std::string_view symbol, bool& afterUnknown, std::vector<TokenId>& out) const;
    void emitUnknown(std::string_view text, bool& afterUnknown, std::vector<TokenId>& out) const;
    struct Rules;
    struct UnusedSplits;

    const Vocabulary& vocabulary_;
    SentencePieceSpec spec_;
    TokenId unknown_ = -1;
    std::vector<Charsmap> charsmap_;  // none or one
    PieceTrie userSymbols_;
    bool hasUserSymbols_ = false;
    std::vector<TokenId> byteIds_;

    std::vector<std::uint32_t> ranks_;  // BPE: by id, the best score first
    bool cutsAtWords_ = false;
    bool hasUnused_ = false;
    std::unique_ptr<Unigram> unigram_;
};

}  // namespace fl::tokenizer
