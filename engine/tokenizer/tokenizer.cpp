// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/tokenizer_state.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

const std::string kNothing;

// The first two bytes of an encoded surrogate are invalid from the second on; Python's incremental
// decoder, by which the golden pieces are made, waits for the third all the same.
bool isHalfSurrogate(std::string_view tail) {
    return tail.size() == 2 && tail[0] == '\xED' && static_cast<unsigned char>(tail[1]) >= 0xA0 &&
           static_cast<unsigned char>(tail[1]) <= 0xBF;
}

}  // namespace

Status Tokenizer::State::recognise(AddedToken token) {
    if (token.special)
        specials.insert(token.id);
    if (!token.normalized) {
        rawAdded.add(std::move(token));
        return Done{};
    }
    FL_TRY(token.content, normalize(token.content));
    normalizedAdded.add(std::move(token));
    return Done{};
}

void Tokenizer::State::addEos(TokenId id) {
    if (id >= 0 && std::find(eos.begin(), eos.end(), id) == eos.end())
        eos.push_back(id);
}

Result<std::string> Tokenizer::State::normalize(std::string_view text) const {
    std::string out(text);
    for (const NormalForm form : normalizers) {
        FL_TRY(out, normalized(out, form));
    }
    return out;
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text,
                                               const EncodeOptions& options) const {
    const State& state = *state_;
    std::vector<TokenId> ids;
    if (options.addSpecialTokens)
        ids = state.prefix;
    const auto merge = [&](std::string_view piece) {
        state.bpe.encode(state.vocabulary, piece, ids);
    };
    const auto partsOf = [&](const AddedTokens& added, std::string_view whole) {
        if (options.special == Special::Text)
            return std::vector<TextPart>{{whole, -1}};
        return added.split(whole, options.special == Special::KeepAdded);
    };
    const std::string valid = validUtf8(text);
    for (const TextPart& part : partsOf(state.rawAdded, valid)) {
        if (part.id >= 0) {
            ids.push_back(part.id);
            continue;
        }
        FL_TRY(const std::string normal, state.normalize(part.text));
        for (const TextPart& inner : partsOf(state.normalizedAdded, normal)) {
            if (inner.id >= 0)
                ids.push_back(inner.id);
            else
                FL_DO(state.preTokenizer.split(inner.text, merge));
        }
    }
    if (options.addSpecialTokens)
        ids.insert(ids.end(), state.suffix.begin(), state.suffix.end());
    return ids;
}

const std::string& Tokenizer::bytesOf(TokenId id, bool skipSpecial) const {
    return skipSpecial && isSpecial(id) ? kNothing : state_->vocabulary.bytes(id);
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids, bool skipSpecial) const {
    std::string bytes;
    for (const TokenId id : ids)
        bytes += bytesOf(id, skipSpecial);
    return validUtf8(bytes);
}

StreamDecoder Tokenizer::stream(bool skipSpecial) const {
    return StreamDecoder(*this, skipSpecial);
}

std::int64_t Tokenizer::size() const {
    return state_->vocabulary.size();
}

bool Tokenizer::isSpecial(TokenId id) const {
    return state_->specials.count(id) != 0;
}

std::string Tokenizer::piece(TokenId id) const {
    return state_->vocabulary.spelling(id);
}

TokenId Tokenizer::find(std::string_view token) const {
    return state_->vocabulary.findSpelling(token);
}

TokenId Tokenizer::bos() const {
    return state_->bos;
}

const std::vector<TokenId>& Tokenizer::eos() const {
    return state_->eos;
}

std::string Tokenizer::bosText() const {
    return piece(state_->bos);
}

std::string Tokenizer::eosText() const {
    return state_->eos.empty() ? std::string() : piece(state_->eos.front());
}

const std::string& Tokenizer::chatTemplate() const {
    return state_->chatTemplate;
}

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skipSpecial)
    : tokenizer_(&tokenizer),
      skipSpecial_(skipSpecial) {}

std::string StreamDecoder::push(TokenId id) {
    pending_ += tokenizer_->bytesOf(id, skipSpecial_);
    std::string out;
    std::size_t at = 0;
    while (at < pending_.size()) {
        const Utf8Char next = decodeUtf8(pending_, at);
        if (next.state == Utf8State::Incomplete ||
            isHalfSurrogate(std::string_view(pending_).substr(at)))
            break;
        out += next.state == Utf8State::Valid ? std::string_view(pending_).substr(at, next.bytes)
                                              : kReplacement;
        at += next.bytes;
    }
    pending_.erase(0, at);
    return out;
}

std::string StreamDecoder::flush() {
    return validUtf8(std::exchange(pending_, {}));
}

}  // namespace fl::tokenizer
