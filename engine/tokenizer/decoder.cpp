// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/decoder.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/word_cuts.h"

namespace fl::tokenizer {

namespace {

constexpr std::string_view kUnknownSurface = " \xE2\x81\x87 ";

// "<0x0A>" is 10.
std::optional<char> fallbackByte(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>')
        return std::nullopt;
    unsigned value = 0;
    const auto [end, problem] = std::from_chars(text.data() + 3, text.data() + 5, value, 16);
    if (problem != std::errc() || end != text.data() + 5)
        return std::nullopt;
    return static_cast<char>(value);
}

// `text` without up to `count` times `what` at its begin; how often is taken off `count`.
std::string_view withoutFront(std::string_view text, std::string_view what, std::int64_t& count) {
    while (count > 0 && !what.empty() && text.starts_with(what)) {
        text.remove_prefix(what.size());
        --count;
    }
    return text;
}

Error unsupported(std::string message) {
    return {ErrorCode::Unsupported, std::move(message)};
}

}  // namespace

Result<Decoder> Decoder::fromJson(const Json& description, bool isByteLevel) {
    Decoder made;
    FL_DO(made.add(description, isByteLevel));
    return made;
}

Decoder Decoder::sentencePiece(const SentencePiece& rule, TokenId unknown) {
    Decoder made;
    made.rule_ = Rule::SentencePiece;
    made.sentencePiece_ = rule;
    made.unknown_ = unknown;
    made.byteFallback_ = true;
    return made;
}

Status Decoder::add(const Json& description, bool isByteLevel) {
    const std::string& type = description["type"].string();
    if (type == "Sequence") {
        for (const Json& part : description["decoders"].items())
            FL_DO(add(part, isByteLevel));
        return Done{};
    }
    if (isByteLevel != (type == "ByteLevel"))
        return unsupported(
            fmt::format("decoder '{}' with a pre_tokenizer {} ByteLevel is not "
                        "supported",
                        type, isByteLevel ? "that is" : "without"));
    if (type == "ByteLevel")
        return Done{};  // the vocabulary has the bytes
    if (type == "Replace")
        return addReplace(description);
    if (type == "Strip")
        return addStrip(description);
    if (type == "Fuse") {
        fused_ = true;
        return Done{};
    }
    if (type == "ByteFallback" && !fused_) {
        byteFallback_ = true;
        return Done{};
    }
    if (type == "Metaspace" && !fused_) {
        Step step;
        step.kind = Kind::Metaspace;
        step.literal = description["replacement"].string();
        if (step.literal.empty())
            return Error{ErrorCode::Corrupt, "decoder Metaspace has no replacement"};
        const std::string& scheme = description["prepend_scheme"].string();
        step.dropsInFirst =
            scheme.empty() ? description["add_prefix_space"].boolean(true) : scheme != "never";
        steps_.push_back(std::move(step));
        return Done{};
    }
    return unsupported(fmt::format(
        "decoder '{}'{} is not supported (known: ByteFallback, ByteLevel, Fuse, Metaspace, "
        "Replace, Sequence, Strip)",
        type, fused_ ? " behind Fuse" : ""));
}

Status Decoder::addReplace(const Json& description) {
    const Json& pattern = description["pattern"];
    Step step;
    step.content = description["content"].string();
    if (const Json* regex = pattern.find("Regex")) {
        FL_TRY(Pattern compiled, Pattern::regex(regex->string()));
        step.pattern.push_back(std::move(compiled));
    } else {
        step.literal = pattern["String"].string();
    }
    if (step.pattern.empty() && step.literal.empty())
        return Error{ErrorCode::Corrupt,
                     "decoder Replace has neither a Regex nor a String pattern"};
    // A match may then lie across tokens, which a stream would not see.
    if (fused_ &&
        (!step.pattern.empty() || decodeUtf8(step.literal, 0).bytes < step.literal.size()))
        return unsupported(
            "decoder 'Replace' of more than a character behind Fuse is not "
            "supported");
    if (byteFallback_ && fused_)
        return unsupported("decoder 'Replace' behind ByteFallback and Fuse is not supported");
    steps_.push_back(std::move(step));
    return Done{};
}

Status Decoder::addStrip(const Json& description) {
    const std::string& content = description["content"].string();
    const std::int64_t start = std::max<std::int64_t>(0, description["start"].integer());
    const std::int64_t stop = std::max<std::int64_t>(0, description["stop"].integer());
    if (!fused_) {
        Step step;
        step.kind = Kind::Strip;
        step.content = content;
        step.start = start;
        step.stop = stop;
        steps_.push_back(std::move(step));
        return Done{};
    }
    // What is cut from the end of a whole text cannot be streamed.
    if (stop > 0 || stripLeft_ > 0)
        return unsupported(
            fmt::format("decoder 'Strip' with stop {} behind Fuse is not supported", stop));
    stripContent_ = content;
    stripLeft_ = start;
    return Done{};
}

DecodePlace Decoder::begin() const {
    DecodePlace place;
    place.stripLeft = stripLeft_;
    return place;
}

std::string Decoder::apply(const Step& step, std::string text, bool isFirst) {
    if (step.kind == Kind::Metaspace)
        return replaced(text, step.literal, isFirst && step.dropsInFirst ? "" : " ");
    if (step.kind == Kind::Replace) {
        if (step.pattern.empty())
            return replaced(text, step.literal, step.content);
        const auto matches = step.pattern.front().matches(text);
        std::string out;
        std::size_t done = 0;
        for (const Span& match : matches ? *matches : std::vector<Span>()) {
            out += text.substr(done, match.begin - done) + step.content;
            done = match.end;
        }
        return out + text.substr(done);
    }
    std::int64_t left = step.start;
    std::string_view rest = withoutFront(text, step.content, left);
    for (std::int64_t i = 0; i < step.stop && !step.content.empty(); ++i) {
        if (!rest.ends_with(step.content))
            break;
        rest.remove_suffix(step.content.size());
    }
    return std::string(rest);
}

Decoder::Piece Decoder::sentencePieceNext(const Vocabulary& vocabulary,
                                          TokenId id,
                                          DecodePlace& place) const {
    std::string_view text = vocabulary.bytes(id);
    if (vocabulary.isLiteral(id)) {
        place.hasText = place.hasText || !text.empty();
        if (id == unknown_)
            return {std::string(kUnknownSurface), false};
        if (const auto byte = fallbackByte(text))
            return {std::string(1, *byte), true};
        return {std::string(text), false};
    }
    const bool isAtBegin = !place.hasText && !place.sawSpace;
    if (isAtBegin && (sentencePiece_.dropsFirstSpace || sentencePiece_.dropsFirstSpaces)) {
        if (text.starts_with(kSpaceMark)) {
            text.remove_prefix(kSpaceMark.size());
            place.sawSpace = !sentencePiece_.dropsFirstSpaces;
        }
    }
    place.hasText = place.hasText || !text.empty();
    return {replaced(text, kSpaceMark, " "), false};
}

Decoder::Piece Decoder::next(const Vocabulary& vocabulary, TokenId id, DecodePlace& place) const {
    if (rule_ == Rule::SentencePiece)
        return sentencePieceNext(vocabulary, id, place);
    Piece piece{std::string(vocabulary.bytes(id)), false};
    if (const auto shown = shown_.find(id); shown != shown_.end())
        piece.bytes = shown->second;
    for (const Step& step : steps_)
        piece.bytes = apply(step, std::move(piece.bytes), place.isFirst);
    place.isFirst = false;
    if (byteFallback_) {
        if (const auto byte = fallbackByte(piece.bytes))
            piece = {std::string(1, *byte), true};
    }
    if (place.stripLeft > 0 && !piece.bytes.empty()) {
        const std::string_view rest = withoutFront(piece.bytes, stripContent_, place.stripLeft);
        if (!rest.empty())
            place.stripLeft = 0;
        piece.bytes = std::string(rest);
    }
    return piece;
}

std::string Decoder::byteRun(std::string_view bytes) const {
    if (utf8Fault(bytes) == std::string_view::npos)
        return std::string(bytes);
    std::string out;
    if (rule_ == Rule::Steps) {  // the tokenizers library gives up the whole run
        for (std::size_t i = 0; i < bytes.size(); ++i)
            out += kReplacement;
        return out;
    }
    for (std::size_t at = 0; at < bytes.size();) {  // SentencePiece gives up byte for byte
        const Utf8Char next = decodeUtf8(bytes, at);
        const bool isValid = next.state == Utf8State::Valid;
        out += isValid ? bytes.substr(at, next.bytes) : kReplacement;
        at += isValid ? next.bytes : 1;
    }
    return out;
}

}  // namespace fl::tokenizer
