// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/sentencepiece_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/rank_bpe.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/word_cuts.h"

namespace fl::tokenizer {

namespace {

constexpr double kUnknownPenalty = 10;

bool isFound(PieceType type) {
    return type == PieceType::Normal || type == PieceType::UserDefined || type == PieceType::Unused;
}

}  // namespace

// How pieces that may not stay were joined: they come apart again.
struct SentencePieceModel::UnusedSplits {
    std::map<std::string_view, std::size_t> left;  // bytes of the left half
};

struct SentencePieceModel::Rules {
    static constexpr bool kById = false;
    JoinedRules joined;
    const SentencePieceModel& model;
    UnusedSplits* splits;

    std::uint32_t rank(const Symbol& left, const Symbol& right) const {
        const std::uint32_t rank = joined.rank(left, right);
        if (splits != nullptr && rank != kNoRank) {
            const std::string_view both = joined.text.substr(left.begin, right.end - left.begin);
            const auto id = static_cast<std::size_t>(model.vocabulary_.findBytes(both));
            if (model.spec_.pieces[id].type == PieceType::Unused)
                splits->left[both] = left.end - left.begin;
        }
        return rank;
    }
    TokenId merged(std::uint32_t /*rank*/) const { return -1; }
};

SentencePieceModel::SentencePieceModel(const Vocabulary& vocabulary, SentencePieceSpec spec)
    : vocabulary_(vocabulary),
      spec_(std::move(spec)) {}

Status SentencePieceModel::prepare() {
    std::vector<PieceTrie::Entry> symbols;
    for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
        const SentencePieceSpec::Piece& piece = spec_.pieces[i];
        const auto id = static_cast<TokenId>(i);
        if (std::isnan(piece.score))
            return Error{ErrorCode::Corrupt,
                         fmt::format("piece {} '{}' has no number as its score", i, piece.text)};
        if (piece.type == PieceType::Unknown)
            unknown_ = id;
        if (piece.type == PieceType::UserDefined)
            symbols.emplace_back(vocabulary_.bytes(id), id);
        hasUnused_ = hasUnused_ || piece.type == PieceType::Unused;
    }
    hasUserSymbols_ = !symbols.empty();
    userSymbols_ = PieceTrie::of(std::move(symbols));
    for (int byte = 0; spec_.byteFallback && byte < 256; ++byte) {
        byteIds_.push_back(
            vocabulary_.findSpelling(fallbackSpelling(static_cast<unsigned char>(byte))));
        if (byteIds_.back() < 0)
            return Error{ErrorCode::Corrupt,
                         fmt::format("byte fallback needs the piece '{}'",
                                     fallbackSpelling(static_cast<unsigned char>(byte)))};
    }
    if (unknown_ < 0 && !spec_.byteFallback)
        return Error{ErrorCode::Corrupt, "no piece is the unknown one"};
    if (!spec_.charsmap.empty()) {
        FL_TRY(Charsmap map, Charsmap::parse(spec_.charsmap));
        charsmap_.push_back(std::move(map));
    }
    spec_.isBpe ? prepareBpe() : prepareUnigram();
    return Done{};
}

void SentencePieceModel::prepareBpe() {
    std::vector<std::uint32_t> order(spec_.pieces.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto score = [this](std::uint32_t id) { return spec_.pieces[id].score; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return score(a) > score(b); });
    // Equal scores are one rank: the leftmost of them merges first.
    ranks_.resize(order.size());
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        rank += i > 0 && score(order[i]) != score(order[i - 1]) ? 1 : 0;
        ranks_[order[i]] = rank;
    }
    cutsAtWords_ = cutsAtWords(vocabulary_);
}

void SentencePieceModel::prepareUnigram() {
    std::vector<TokenId> found;
    std::vector<double> scores(spec_.pieces.size());
    float lowest = std::numeric_limits<float>::max();
    float highest = std::numeric_limits<float>::lowest();
    for (const SentencePieceSpec::Piece& piece : spec_.pieces) {
        if (piece.type == PieceType::Normal) {
            lowest = std::min(lowest, piece.score);
            highest = std::max(highest, piece.score);
        }
    }
    for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
        const SentencePieceSpec::Piece& piece = spec_.pieces[i];
        scores[i] = piece.score;
        // A user's symbol beats every other way to write it.
        if (piece.type == PieceType::UserDefined)
            scores[i] = static_cast<double>(static_cast<float>(piece.text.size()) * highest) - 0.1;
        if (piece.type == PieceType::Normal || piece.type == PieceType::UserDefined)
            found.push_back(static_cast<TokenId>(i));
    }
    UnigramOptions options;
    options.unknown = unknown_;
    options.byteFallback = spec_.byteFallback;
    options.unknownScore = static_cast<double>(lowest - static_cast<float>(kUnknownPenalty));
    options.singlePrecision = true;
    options.looksUpUnknown = false;
    unigram_ = std::make_unique<Unigram>(vocabulary_, found, std::move(scores), options);
}

SentencePieceModel::Piece SentencePieceModel::normalizedPrefix(std::string_view text) const {
    if (hasUserSymbols_) {
        if (const std::size_t symbol = userSymbols_.longestPrefix(text); symbol > 0)
            return {text.substr(0, symbol), symbol};
    }
    if (!charsmap_.empty()) {
        const Charsmap::Match match = charsmap_.front().longest(text);
        if (match.length > 0)
            return {match.replacement, match.length};
    }
    const std::size_t bytes = decodeUtf8(text, 0).bytes;
    return {text.substr(0, bytes), bytes};
}

void SentencePieceModel::appendMarked(std::string& out, std::string_view text) const {
    for (const char c : text) {
        if (c == ' ' && spec_.escapeSpaces)
            out += kSpaceMark;
        else
            out += c;
    }
}

std::string SentencePieceModel::normalized(std::string_view text) const {
    const bool drops = spec_.removeExtraSpaces;
    while (drops && !text.empty()) {
        const Piece piece = normalizedPrefix(text);
        if (piece.text != " ")
            break;
        text.remove_prefix(piece.consumed);
    }
    std::string out;
    if (text.empty())
        return out;
    out.reserve(text.size() + text.size() / 2);
    if (spec_.addDummyPrefix && !spec_.spaceIsSuffix)
        appendMarked(out, " ");
    bool afterSpace = drops;
    while (!text.empty()) {
        const Piece piece = normalizedPrefix(text);
        std::string_view rest = piece.text;
        while (afterSpace && rest.starts_with(' '))
            rest.remove_prefix(1);
        appendMarked(out, rest);
        if (!rest.empty())
            afterSpace = drops && rest.ends_with(' ');
        text.remove_prefix(piece.consumed);
    }
    const std::string_view space = spec_.escapeSpaces ? kSpaceMark : std::string_view(" ");
    while (drops && out.ends_with(space))
        out.resize(out.size() - space.size());
    if (spec_.addDummyPrefix && spec_.spaceIsSuffix)
        appendMarked(out, " ");
    return out;
}

void SentencePieceModel::emitUnknown(std::string_view text,
                                     bool& afterUnknown,
                                     std::vector<TokenId>& out) const {
    if (!byteIds_.empty()) {
        for (const char byte : text)
            out.push_back(byteIds_[static_cast<unsigned char>(byte)]);
    } else if (!afterUnknown) {
        out.push_back(unknown_);
    }
    afterUnknown = true;
}

void SentencePieceModel::emit(std::string_view symbol,
                              bool& afterUnknown,
                              std::vector<TokenId>& out) const {
    const TokenId id = vocabulary_.findBytes(symbol);
    if (id < 0)
        return emitUnknown(symbol, afterUnknown, out);
    out.push_back(id);
    afterUnknown = false;
}

void SentencePieceModel::merge(std::string_view word,
                               bool& afterUnknown,
                               std::vector<TokenId>& out) const {
    UnusedSplits splits;
    const Rules rules{{vocabulary_, word, &ranks_}, *this, hasUnused_ ? &splits : nullptr};
    const auto take = [&](const Symbol& symbol) {
        std::vector<std::string_view> open{word.substr(symbol.begin, symbol.end - symbol.begin)};
        while (!open.empty()) {
            const std::string_view text = open.back();
            open.pop_back();
            const auto split = hasUnused_ ? splits.left.find(text) : splits.left.end();
            if (split == splits.left.end()) {
                emit(text, afterUnknown, out);
                continue;
            }
            open.push_back(text.substr(split->second));
            open.push_back(text.substr(0, split->second));
        }
    };
    if (word.size() <= kShortPiece) {
        std::array<Symbol, kShortPiece> symbols;
        std::size_t count = 0;
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t end = at + decodeUtf8(word, at).bytes;
            symbols[count++] = {at, end, -1};
            at = end;
        }
        count = mergeShort(rules, symbols.data(), count);
        for (std::size_t i = 0; i < count; ++i)
            take(symbols[i]);
        return;
    }
    LongMerge<Rules> merge(rules, word.size());
    for (std::size_t at = 0; at < word.size(); at += decodeUtf8(word, at).bytes)
        merge.add(at, -1);
    merge.run();
    merge.each(take);
}

void SentencePieceModel::encodeWords(std::string_view text,
                                     bool& afterUnknown,
                                     std::vector<TokenId>& out) const {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = cutsAtWords_ ? wordEnd(text, at) : text.size();
        merge(text.substr(at, end - at), afterUnknown, out);
        at = end;
    }
}

Status SentencePieceModel::encode(std::string_view text, std::vector<TokenId>& out) const {
    const std::string normal = normalized(text);
    if (unigram_)
        return unigram_->encode(normal, out);
    bool afterUnknown = false;
    std::size_t done = 0;
    for (std::size_t at = hasUserSymbols_ ? 0 : normal.size(); at < normal.size();) {
        const std::string_view rest = std::string_view(normal).substr(at);
        const std::size_t symbol = userSymbols_.longestPrefix(rest);
        if (symbol == 0) {
            at += decodeUtf8(normal, at).bytes;
            continue;
        }
        encodeWords(std::string_view(normal).substr(done, at - done), afterUnknown, out);
        emit(rest.substr(0, symbol), afterUnknown, out);
        at += symbol;
        done = at;
    }
    encodeWords(std::string_view(normal).substr(done), afterUnknown, out);
    return Done{};
}

Result<std::unique_ptr<Tokenizer::State>> sentencePieceState(SentencePieceSpec spec) {
    Vocabulary vocabulary(Spelling::Plain);
    TokenId id = 0;
    TokenId unknown = -1;
    for (const SentencePieceSpec::Piece& piece : spec.pieces) {
        FL_DO(isFound(piece.type) ? vocabulary.add(piece.text, id)
                                  : vocabulary.addLiteral(piece.text, id));
        if (piece.type == PieceType::Unknown)
            unknown = id;
        ++id;
    }
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary));
    state->kind = spec.isBpe ? Kind::SentencePieceBpe : Kind::SentencePieceUnigram;
    if (unknown >= 0)
        state->specials.insert(unknown);
    state->decoder = Decoder::sentencePiece({spec.addDummyPrefix, spec.removeExtraSpaces}, unknown);
    auto model = std::make_unique<SentencePieceModel>(state->vocabulary, std::move(spec));
    FL_DO(model->prepare());
    state->model = std::move(model);
    return state;
}

}  // namespace fl::tokenizer
