// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back, exactly as the model was trained.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer {

using TokenId = std::int32_t;

enum class Special : std::uint8_t {
    Parse,  // "<|im_end|>" in the text becomes its token: templates, raw prompts
    Text,   // no token is recognised in the text: what a user typed
    // Those marked special are ordinary text, other added tokens are recognised
    // (encode_special_tokens of the tokenizers library).
    KeepAdded,
};

struct EncodeOptions {
    Special special = Special::Parse;
    bool addSpecialTokens = false;  // the tokenizer's own bos/eos rule
};

// What a tokenizer is made of.
enum class Kind : std::uint8_t {
    ByteLevelBpe,      // merges over bytes (GPT-2 alphabet)
    CharacterBpe,      // merges over characters, bytes as the fallback
    Unigram,           // best path over scored pieces
    Ranks,             // a tiktoken rank file, or tekken.json
    SentencePieceBpe,  // a SentencePiece model, or GGUF's llama
    SentencePieceUnigram,
};
std::string_view kindName(Kind kind);  // "byte-level BPE"

struct LoadOptions {
    // The file of the folder to take; "" takes the first there is of tokenizer.json, tekken.json,
    // tokenizer.model, tiktoken.model, *.tiktoken.
    std::string file;
    // For rank files: the name of a split in resources/tokenizers/pre.json where the folder does
    // not say whose tokens these are.
    std::string split;
    CancelToken cancel;
};

// How far a decoded text has come.
struct DecodePlace {
    bool isFirst = true;         // no token was there yet
    bool hasText = false;        // something was shown
    bool sawSpace = false;       // the one space that is dropped has been
    std::int64_t stripLeft = 0;  // characters at the begin that may still be dropped
};

class StreamDecoder;

// Immutable after loading, safe from every thread.
class Tokenizer {
public:
    // From the tokenizer files of a folder; tokenizer_config.json and its like are read where
    // present.
    static Result<Tokenizer> fromFolder(const std::string& folder, const LoadOptions& options);
    static Result<Tokenizer> fromFolder(const std::string& folder, const CancelToken& cancel = {});
    // From the metadata of a GGUF file (keys tokenizer.ggml.*).
    static Result<Tokenizer> fromGguf(const Json& metadata);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // Fails where a split pattern passes its match limit; the message says at which byte.
    Result<std::vector<TokenId>> encode(std::string_view text, const EncodeOptions& options) const;
    // Of bytes that may be no UTF-8, by tiktoken's rule: what is valid is split as usual, its last
    // piece and all that follows are one piece. Nothing is recognised. Byte-level kinds only;
    // others replace what is invalid by U+FFFD, as encode() does.
    Result<std::vector<TokenId>> encodeBytes(std::string_view bytes) const;
    // Invalid byte sequences become U+FFFD. With skipSpecial special tokens are left out.
    std::string decode(const std::vector<TokenId>& ids, bool skipSpecial) const;
    StreamDecoder stream(bool skipSpecial) const;

    std::int64_t size() const;  // largest id + 1
    bool isSpecial(TokenId id) const;
    std::string piece(TokenId id) const;  // as the vocabulary writes it
    std::string bytes(TokenId id) const;  // what it adds in the midst of a text
    // Id of a token by its text, or −1.
    TokenId find(std::string_view token) const;

    TokenId bos() const;                      // −1: none
    const std::vector<TokenId>& eos() const;  // ends an answer; several in some models
    std::string bosText() const;
    std::string eosText() const;
    Kind kind() const;
    // Name of the file that was taken; "" for keys of a GGUF file.
    const std::string& sourceFile() const;
    // The chat template that came with the tokenizer; empty if none.
    const std::string& chatTemplate() const;

    struct State;  // tokenizer_state.h
    explicit Tokenizer(std::unique_ptr<State> state);

private:
    std::unique_ptr<State> state_;
    friend class StreamDecoder;
};

// Decodes one id after the other; never gives out half a character.
class StreamDecoder {
public:
    // The text that became complete with this token, possibly "".
    std::string push(TokenId id);
    // What is left at the end; an unfinished character becomes U+FFFD.
    std::string flush();

private:
    friend class Tokenizer;
    StreamDecoder(const Tokenizer& tokenizer, bool skipSpecial);
    const Tokenizer* tokenizer_;
    bool skipSpecial_;
    DecodePlace place_;
    std::string pending_;
};

}  // namespace fl::tokenizer
