// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/base/text.h"
#include "engine/tokenizer/long_runs.h"
#include "engine/tokenizer/tokenizer_state.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

// The first two bytes of an encoded surrogate are invalid from the second on; Python's incremental
// decoder, by which the golden pieces are made, waits for the third all the same.
bool isHalfSurrogate(std::string_view tail) {
    return tail.size() == 2 && tail[0] == '\xED' && static_cast<unsigned char>(tail[1]) >= 0xA0 &&
           static_cast<unsigned char>(tail[1]) <= 0xBF;
}

}  // namespace

std::string_view kindName(Kind kind) {
    switch (kind) {
        case Kind::ByteLevelBpe:
            return "byte-level BPE";
        case Kind::CharacterBpe:
            return "BPE over characters";
        case Kind::Unigram:
            return "Unigram";
        case Kind::Ranks:
            return "BPE by ranks";
        case Kind::SentencePieceBpe:
            return "SentencePiece BPE";
        case Kind::SentencePieceUnigram:
            return "SentencePiece Unigram";
    }
    return "";
}

Status Tokenizer::State::recognise(std::vector<AddedToken> tokens) {
    for (AddedToken& token : tokens) {
        if (token.special)
            specials.insert(token.id);
        if (token.normalized) {
            FL_TRY(token.content, normalizer.run(token.content));
            // Found in normalised text, it also comes out as that text.
            if (token.content != vocabulary.bytes(token.id))
                decoder.show(token.id, token.content);
        }
        (token.normalized ? normalizedAdded : rawAdded).add(std::move(token));
    }
    rawAdded.finish();
    normalizedAdded.finish();
    return Done{};
}

void Tokenizer::State::addEos(TokenId id) {
    if (id >= 0 && std::find(eos.begin(), eos.end(), id) == eos.end())
        eos.push_back(id);
}

// One text on its way to ids.
struct Tokenizer::State::Encoding {
    const State& state;
    Special special;
    std::vector<TokenId>& ids;
    std::size_t lastPiece = 0;  // where the ids of the last piece begin

    Status cut(const AddedTokens& added,
               std::string_view text,
               const std::function<Status(const TextPart&)>& sink) const {
        const bool isPlain = special == Special::Text ||
                             (special == Special::KeepAdded && state.allOrNone) || added.empty();
        if (isPlain)
            return text.empty() ? Status(Done{}) : sink({text, -1});
        return added.split(text, special == Special::KeepAdded, sink);
    }

    Status whole(std::string_view text) {
        if (state.longestRun == 0)
            return stretch(text);
        return cutLongRuns(text, state.longestRun, state.longestText,
                           [this](std::string_view part) { return stretch(part); });
    }

    Status stretch(std::string_view text) {
        return cut(state.rawAdded, text, [&](const TextPart& part) -> Status {
            if (part.id >= 0)
                return found(part.id);
            const bool isFirst = part.text.data() == text.data();
            if (state.normalizer.empty())
                return normal(part.text, isFirst);
            FL_TRY(const std::string changed, state.normalizer.run(part.text));
            return normal(changed, isFirst);
        });
    }

    Status normal(std::string_view text, bool isFirst) {
        return cut(state.normalizedAdded, text, [&](const TextPart& part) -> Status {
            if (part.id >= 0)
                return found(part.id);
            return state.preTokenizer.split(part.text, isFirst && part.text.data() == text.data(),
                                            [this](std::string_view piece) {
                                                lastPiece = ids.size();
                                                return state.model->encode(piece, ids);
                                            });
        });
    }

    Status found(TokenId id) {
        ids.push_back(id);
        lastPiece = ids.size();
        return Done{};
    }
};

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<std::vector<TokenId>> Tokenizer::encode(std::string_view text,
                                               const EncodeOptions& options) const {
    std::vector<TokenId> ids;
    if (options.addSpecialTokens)
        ids = state_->prefix;
    State::Encoding encoding{*state_, options.special, ids};
    const bool isValid = utf8Fault(text) == std::string_view::npos;
    FL_DO(isValid ? encoding.whole(text) : encoding.whole(validUtf8(text)));
    if (options.addSpecialTokens)
        ids.insert(ids.end(), state_->suffix.begin(), state_->suffix.end());
    return ids;
}

Result<std::vector<TokenId>> Tokenizer::encodeBytes(std::string_view bytes) const {
    const std::size_t fault = utf8Fault(bytes);
    if (fault == std::string_view::npos || !state_->isByteLevel())
        return encode(bytes, {Special::Text, false});
    std::vector<TokenId> ids;
    State::Encoding encoding{*state_, Special::Text, ids};
    FL_DO(encoding.whole(bytes.substr(0, fault)));
    const auto isBlank = [&](std::size_t index) {
        return state_->vocabulary.bytes(ids[index]).find_first_not_of(" \n\t") ==
               std::string_view::npos;
    };
    std::size_t first = encoding.lastPiece;
    if (first < ids.size() && isBlank(first)) {
        while (first > 0 && isBlank(first - 1))
            --first;
    }
    std::string rest;
    for (std::size_t i = first; i < ids.size(); ++i)
        rest += state_->vocabulary.bytes(ids[i]);
    rest += bytes.substr(fault);
    ids.resize(first);
    FL_DO(state_->model->encode(rest, ids));
    return ids;
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids, bool skipSpecial) const {
    const Decoder& decoder = state_->decoder;
    DecodePlace place = decoder.begin();
    std::string text;
    std::string run;  // of byte tokens
    for (const TokenId id : ids) {
        if (skipSpecial && isSpecial(id))
            continue;
        const Decoder::Piece piece = decoder.next(state_->vocabulary, id, place);
        if (!piece.isByte && !run.empty())
            text += decoder.byteRun(std::exchange(run, {}));
        (piece.isByte ? run : text) += piece.bytes;
    }
    return validUtf8(text + decoder.byteRun(run));
}

std::string Tokenizer::bytes(TokenId id) const {
    DecodePlace place;
    place.isFirst = false;
    place.hasText = true;
    return state_->decoder.next(state_->vocabulary, id, place).bytes;
}

Kind Tokenizer::kind() const {
    return state_->kind;
}

const std::string& Tokenizer::sourceFile() const {
    return state_->sourceFile;
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
      skipSpecial_(skipSpecial),
      place_(tokenizer.state_->decoder.begin()) {}

std::string StreamDecoder::push(TokenId id) {
    const Tokenizer::State& state = *tokenizer_->state_;
    if (!skipSpecial_ || !tokenizer_->isSpecial(id))
        pending_ += state.decoder.next(state.vocabulary, id, place_).bytes;
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
