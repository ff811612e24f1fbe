// SPDX-License-Identifier: Apache-2.0
// The few fields of sentencepiece_model.proto that matter, read from its wire format.
#include <cstring>
#include <optional>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

constexpr std::size_t kMaxPieces = 4'000'000;

// One field of a message: a number, or bytes that may be a message themselves.
struct Field {
    std::uint32_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
};

// Walks over the fields of a message. Nothing is recursive, nothing is copied.
class Message {
public:
    explicit Message(std::string_view bytes) : bytes_(bytes) {}

    // The next field; nothing at the end, or where the bytes are none: see isBroken().
    std::optional<Field> next() {
        if (at_ == bytes_.size())
            return std::nullopt;
        const auto tag = varint();
        Field field;
        if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1FFFFFFF)
            return broken();
        field.number = static_cast<std::uint32_t>(*tag >> 3);
        switch (*tag & 7) {
            case 0: {
                const auto value = varint();
                if (!value)
                    return broken();
                field.value = *value;
                return field;
            }
            case 1:
                return fixed(field, 8);
            case 2: {
                const auto size = varint();
                if (!size || *size > bytes_.size() - at_)
                    return broken();
                field.bytes = bytes_.substr(at_, static_cast<std::size_t>(*size));
                at_ += field.bytes.size();
                return field;
            }
            case 5:
                return fixed(field, 4);
            default:
                return broken();
        }
    }

    bool isBroken() const { return isBroken_; }
    std::size_t at() const { return at_; }

private:
    std::optional<Field> broken() {
        isBroken_ = true;
        return std::nullopt;
    }

    std::optional<Field> fixed(Field field, std::size_t width) {
        if (bytes_.size() - at_ < width)
            return broken();
        std::memcpy(&field.value, bytes_.data() + at_, width);  // little-endian, as this machine
        at_ += width;
        return field;
    }

    std::optional<std::uint64_t> varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_[at_++]);
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80)
                return value;
        }
        return std::nullopt;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool isBroken_ = false;
};

Error corrupt(std::string_view what, std::size_t at) {
    return {ErrorCode::Corrupt,
            fmt::format("{} breaks off at byte {} of it: no SentencePiece model, or cut short",
                        what, at)};
}

Result<SentencePieceSpec::Piece> parsePiece(std::string_view bytes, std::size_t index) {
    SentencePieceSpec::Piece piece;
    Message message(bytes);
    while (const auto field = message.next()) {
        if (field->number == 1)
            piece.text = field->bytes;
        if (field->number == 2) {
            const auto bits = static_cast<std::uint32_t>(field->value);
            std::memcpy(&piece.score, &bits, sizeof piece.score);
        }
        if (field->number == 3) {
            if (field->value < 1 || field->value > 6)
                return Error{ErrorCode::Corrupt, fmt::format("piece {} has the type {}, legal are "
                                                             "1 to 6",
                                                             index, field->value)};
            piece.type = static_cast<PieceType>(field->value);
        }
    }
    if (message.isBroken())
        return corrupt(fmt::format("piece {}", index), message.at());
    if (piece.text.empty() || utf8Fault(piece.text) != std::string_view::npos)
        return Error{ErrorCode::Corrupt, fmt::format("piece {} is {}", index,
                                                     piece.text.empty() ? "empty" : "no UTF-8")};
    return piece;
}

Status parseTrainer(std::string_view bytes, SentencePieceSpec& spec) {
    constexpr std::uint64_t kUnigram = 1;
    constexpr std::uint64_t kBpe = 2;
    Message message(bytes);
    while (const auto field = message.next()) {
        if (field->number == 3) {
            if (field->value != kUnigram && field->value != kBpe)
                return Error{ErrorCode::Unsupported,
                             fmt::format("trainer_spec.model_type {} is not supported (known: 1 "
                                         "unigram, 2 bpe)",
                                         field->value)};
            spec.isBpe = field->value == kBpe;
        }
        if (field->number == 24)
            spec.spaceIsSuffix = field->value != 0;
        if (field->number == 35)
            spec.byteFallback = field->value != 0;
    }
    return message.isBroken() ? Status(corrupt("trainer_spec", message.at())) : Status(Done{});
}

Status parseNormalizer(std::string_view bytes, SentencePieceSpec& spec) {
    Message message(bytes);
    while (const auto field = message.next()) {
        if (field->number == 2)
            spec.charsmap = field->bytes;
        if (field->number == 3)
            spec.addDummyPrefix = field->value != 0;
        if (field->number == 4)
            spec.removeExtraSpaces = field->value != 0;
        if (field->number == 5)
            spec.escapeSpaces = field->value != 0;
    }
    return message.isBroken() ? Status(corrupt("normalizer_spec", message.at())) : Status(Done{});
}

// Control pieces are found in text only where text may name them; the user's symbols are the
// model's own business.
std::vector<AddedToken> controls(const SentencePieceSpec& spec) {
    std::vector<AddedToken> tokens;
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
        if (spec.pieces[i].type != PieceType::Control)
            continue;
        AddedToken token;
        token.id = static_cast<TokenId>(i);
        token.content = spec.pieces[i].text;
        token.special = true;
        tokens.push_back(std::move(token));
    }
    return tokens;
}

// Classes of transformers that put the begin token there unless told otherwise.
bool addsBos(const Json& settings) {
    const std::string& name = settings["tokenizer_class"].string();
    const bool isDefault = name.find("Llama") != std::string::npos ||
                           name.find("Gemma") != std::string::npos ||
                           name.find("CodeLlama") != std::string::npos;
    return settings["add_bos_token"].boolean(isDefault);
}

}  // namespace

Result<SentencePieceSpec> parseSentencePiece(std::string_view bytes) {
    SentencePieceSpec spec;
    Message message(bytes);
    while (const auto field = message.next()) {
        if (field->number == 1) {
            if (spec.pieces.size() == kMaxPieces)
                return Error{ErrorCode::Corrupt,
                             fmt::format("there are more than {} pieces", kMaxPieces)};
            FL_TRY(SentencePieceSpec::Piece piece, parsePiece(field->bytes, spec.pieces.size()));
            spec.pieces.push_back(std::move(piece));
        }
        if (field->number == 2)
            FL_DO(parseTrainer(field->bytes, spec));
        if (field->number == 3)
            FL_DO(parseNormalizer(field->bytes, spec));
    }
    if (message.isBroken())
        return corrupt("the file", message.at());
    if (spec.pieces.empty())
        return Error{ErrorCode::Corrupt, "the file has no pieces"};
    return spec;
}

Result<std::unique_ptr<Tokenizer::State>> readSentencePiece(std::string_view bytes,
                                                            const Json& settings,
                                                            const CancelToken& cancel) {
    FL_DO(cancel.check("reading the tokenizer"));
    FL_TRY(SentencePieceSpec spec, parseSentencePiece(bytes));
    std::vector<AddedToken> tokens = controls(spec);
    FL_TRY(auto state, sentencePieceState(std::move(spec)));
    FL_TRY(const std::vector<AddedToken> added, addedTokensOf(settings));
    for (const AddedToken& token : added) {
        if (state->vocabulary.has(token.id))
            continue;  // said twice
        return Error{ErrorCode::Unsupported,
                     fmt::format("tokenizer_config.json adds '{}' behind the pieces, which only a "
                                 "tokenizer.json can be read with",
                                 token.content)};
    }
    FL_DO(state->recognise(std::move(tokens)));
    state->bos = state->vocabulary.findSpelling("<s>");
    state->addEos(state->vocabulary.findSpelling("</s>"));
    if (addsBos(settings) && state->bos >= 0)
        state->prefix.push_back(state->bos);
    if (settings["add_eos_token"].boolean() && !state->eos.empty())
        state->suffix.push_back(state->eos.front());
    return state;
}

}  // namespace fl::tokenizer
