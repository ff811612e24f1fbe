// SPDX-License-Identifier: Apache-2.0
// How tokens become text again: the `decoder` of a tokenizer.json, or SentencePiece's rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/tokenizer/pattern.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

class Decoder {
public:
    // Bytes of tokens one after the other.
    Decoder() = default;
    // An unknown type is an error that names it, and so is one that does not go with the
    // vocabulary: whose bytes are written in the byte alphabet, or not.
    static Result<Decoder> fromJson(const Json& description, bool isByteLevel);
    struct SentencePiece {
        bool dropsFirstSpace = false;   // add_dummy_prefix
        bool dropsFirstSpaces = false;  // remove_extra_whitespaces
    };
    // `unknown` is shown as " ⁇ ".
    static Decoder sentencePiece(const SentencePiece& rule, TokenId unknown);

    DecodePlace begin() const;

    // From now on the token's text is this one, before any step.
    void show(TokenId id, std::string text) { shown_[id] = std::move(text); }

    struct Piece {
        std::string bytes;
        bool isByte = false;  // of byte fallback: maybe a part of a character
    };
    // What the token adds.
    Piece next(const Vocabulary& vocabulary, TokenId id, DecodePlace& place) const;

    // The bytes of a run of byte tokens as text.
    std::string byteRun(std::string_view bytes) const;

private:
    enum class Kind : std::uint8_t { Replace, Strip, Metaspace };
    struct Step {
        Kind kind = Kind::Replace;
        std::string literal;
        std::vector<Pattern> pattern = {};
        std::string content;
        std::int64_t start = 0;
        std::int64_t stop = 0;
        bool dropsInFirst = false;
    };
    enum class Rule : std::uint8_t { Steps, SentencePiece };

    Status add(const Json& description, bool isByteLevel);
    Status addReplace(const Json& description);
    Status addStrip(const Json& description);
    static std::string apply(const Step& step, std::string text, bool isFirst);
    Piece sentencePieceNext(const Vocabulary& vocabulary, TokenId id, DecodePlace& place) const;

    Rule rule_ = Rule::Steps;
    SentencePiece sentencePiece_;
    TokenId unknown_ = -1;
    std::vector<Step> steps_;
    std::unordered_map<TokenId, std::string> shown_;
    bool byteFallback_ = false;
    bool fused_ = false;
    std::string stripContent_;  // of the fused text
    std::int64_t stripLeft_ = 0;
};

}  // namespace fl::tokenizer
