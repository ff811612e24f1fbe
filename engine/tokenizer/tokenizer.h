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

class StreamDecoder;

// Immutable after loading, safe from every thread.
class Tokenizer {
public:
    // From a folder with tokenizer.json (tokenizer_config.json is read where present).
    static Result<Tokenizer> fromFolder(const std::string& folder, const CancelToken& cancel = {});
    // From the metadata of a GGUF file (keys tokenizer.ggml.*).
    static Result<Tokenizer> fromGguf(const Json& metadata);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // Fails where a split pattern passes its match limit; the message says at which byte.
    Result<std::vector<TokenId>> encode(std::string_view text, const EncodeOptions& options) const;
    // Invalid byte sequences become U+FFFD. With skipSpecial special tokens are left out.
    std::string decode(const std::vector<TokenId>& ids, bool skipSpecial) const;
    StreamDecoder stream(bool skipSpecial) const;

    std::int64_t size() const;  // largest id + 1
    bool isSpecial(TokenId id) const;
    std::string piece(TokenId id) const;  // as the vocabulary writes it
    // Id of a token by its text, or −1.
    TokenId find(std::string_view token) const;

    TokenId bos() const;                      // −1: none
    const std::vector<TokenId>& eos() const;  // ends an answer; several in some models
    std::string bosText() const;
    std::string eosText() const;
    // The chat template that came with the tokenizer; empty if none.
    const std::string& chatTemplate() const;

    struct State;  // tokenizer_state.h
    explicit Tokenizer(std::unique_ptr<State> state);

private:
    const std::string& bytesOf(TokenId id, bool skipSpecial) const;
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
    std::string pending_;
};

}  // namespace fl::tokenizer
