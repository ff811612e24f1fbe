// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging by a list of rules: the models of tokenizer.json and of GGUF's gpt2.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/tokenizer/merge.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/pair_table.h"
#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

struct BpeOptions {
    bool characters = false;    // symbols begin as characters; otherwise as bytes
    bool ignoreMerges = false;  // a piece that is a token as a whole is not merged
    bool byteFallback = false;  // characters without a token become "<0xE4>" … where all exist
    TokenId unknown = -1;       // for what has no token; −1: it vanishes
    bool fuseUnknown = false;   // a run of them is one unknown token
};

class Bpe final : public Model {
public:
    // `vocabulary` is complete by now and outlives the model.
    Bpe(const Vocabulary& vocabulary, const BpeOptions& options);

    // Adds the next merge rule; both sides and their union must be tokens.
    Status addMerge(std::string_view left, std::string_view right);

    Status encode(std::string_view piece, std::vector<TokenId>& out) const override;

private:
    // Whether merging a token's own bytes gives the token; learnt as texts come by.
    enum class Whole : std::uint8_t { NotKnown, Yes, No };

    void encodeWord(std::string_view word, std::vector<TokenId>& out) const;
    void merge(std::string_view word, std::vector<TokenId>& out) const;
    template <class Sink>
    void symbols(std::string_view word, const Sink& sink) const;
    template <class Sink>
    void characters(std::string_view word, const Sink& sink) const;
    bool fallsBack(std::string_view character) const;

    const Vocabulary& vocabulary_;
    BpeOptions options_;
    std::array<TokenId, 256> byteIds_{};
    PairTable pairs_;
    bool cutsAtWords_ = false;
    std::unique_ptr<std::atomic<Whole>[]> whole_;
};

// "<0x0A>" of a byte, as tokens of byte fallback are written.
std::string fallbackSpelling(unsigned char byte);

}  // namespace fl::tokenizer
