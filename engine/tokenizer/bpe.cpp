// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/bpe.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/word_cuts.h"

namespace fl::tokenizer {

namespace {

struct PairRules {
    static constexpr bool kById = true;
    const PairTable& pairs;
    std::uint32_t rank(const Symbol& left, const Symbol& right) const {
        return pairs.rank(left.id, right.id);
    }
    TokenId merged(std::uint32_t rank) const { return pairs.merged(rank); }
};

}  // namespace

std::string fallbackSpelling(unsigned char byte) {
    return fmt::format("<0x{:02X}>", byte);
}

Bpe::Bpe(const Vocabulary& vocabulary, const BpeOptions& options)
    : vocabulary_(vocabulary),
      options_(options),
      cutsAtWords_(options.characters && !options.ignoreMerges && cutsAtWords(vocabulary)),
      whole_(std::make_unique<std::atomic<Whole>[]>(static_cast<std::size_t>(vocabulary.size()))) {
    for (std::size_t byte = 0; byte < byteIds_.size(); ++byte) {
        const char text = static_cast<char>(byte);
        byteIds_[byte] =
            options.characters
                ? vocabulary.findBytes(fallbackSpelling(static_cast<unsigned char>(byte)))
                : vocabulary.findBytes(std::string_view(&text, 1));
    }
}

Status Bpe::addMerge(std::string_view left, std::string_view right) {
    const TokenId leftId = vocabulary_.findSpelling(left);
    const TokenId rightId = vocabulary_.findSpelling(right);
    const std::string joined = std::string(left) + std::string(right);
    const TokenId merged = vocabulary_.findSpelling(joined);
    if (leftId < 0 || rightId < 0 || merged < 0)
        return Error{ErrorCode::Corrupt,
                     fmt::format("merge {} ('{}' '{}') needs the token '{}', which the vocabulary "
                                 "does not have",
                                 pairs_.size(), left, right,
                                 leftId < 0    ? std::string(left)
                                 : rightId < 0 ? std::string(right)
                                               : joined)};
    if (pairs_.size() + 1 >= kNoRank)
        return Error{ErrorCode::Corrupt, fmt::format("there are more than {} merges", kNoRank)};
    pairs_.add(leftId, rightId, merged);
    return Done{};
}

bool Bpe::fallsBack(std::string_view character) const {
    return options_.byteFallback && std::all_of(character.begin(), character.end(), [&](char c) {
               return byteIds_[static_cast<unsigned char>(c)] >= 0;
           });
}

template <class Sink>
void Bpe::characters(std::string_view word, const Sink& sink) const {
    // An unknown token waits for the next known one, which a byte token is not: the order of the
    // tokenizers library.
    std::size_t waiting = std::string_view::npos;
    const auto release = [&] {
        if (waiting != std::string_view::npos)
            sink(waiting, options_.unknown);
        waiting = std::string_view::npos;
    };
    for (std::size_t at = 0; at < word.size();) {
        const std::string_view character = word.substr(at, decodeUtf8(word, at).bytes);
        if (const TokenId id = vocabulary_.findBytes(character); id >= 0) {
            release();
            sink(at, id);
        } else if (fallsBack(character)) {
            // In front of what waits, also where symbols are ordered by their places.
            const std::size_t begin = std::min(waiting, at);
            for (std::size_t i = 0; i < character.size(); ++i)
                sink(begin + i, byteIds_[static_cast<unsigned char>(character[i])]);
            if (waiting != std::string_view::npos)
                waiting += character.size();
        } else if (options_.unknown >= 0) {
            if (!options_.fuseUnknown)
                release();
            waiting = waiting == std::string_view::npos ? at : waiting;
        }
        at += character.size();
    }
    release();
}

template <class Sink>
void Bpe::symbols(std::string_view word, const Sink& sink) const {
    if (options_.characters)
        return characters(word, sink);
    bool afterUnknown = false;
    for (std::size_t at = 0; at < word.size(); ++at) {
        const TokenId id = byteIds_[static_cast<unsigned char>(word[at])];
        if (id >= 0)
            sink(at, id);
        else if (options_.unknown >= 0 && !(afterUnknown && options_.fuseUnknown))
            sink(at, options_.unknown);
        afterUnknown = id < 0;
    }
}

void Bpe::merge(std::string_view word, std::vector<TokenId>& out) const {
    const PairRules rules{pairs_};
    if (word.size() <= kShortPiece) {
        std::array<Symbol, kShortPiece> made;
        std::size_t count = 0;
        symbols(word, [&](std::size_t at, TokenId id) { made[count++] = {at, at, id}; });
        count = mergeShort(rules, made.data(), count);
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(made[i].id);
        return;
    }
    LongMerge<PairRules> merge(rules, word.size());
    symbols(word, [&](std::size_t at, TokenId id) { merge.add(at, id); });
    merge.run();
    merge.each([&](const Symbol& symbol) { out.push_back(symbol.id); });
}

void Bpe::encodeWord(std::string_view word, std::vector<TokenId>& out) const {
    const TokenId id = vocabulary_.findBytes(word);
    if (id < 0)
        return merge(word, out);
    std::atomic<Whole>& whole = whole_[static_cast<std::size_t>(id)];
    const Whole known = whole.load(std::memory_order_relaxed);
    if (options_.ignoreMerges || known == Whole::Yes) {
        out.push_back(id);
        return;
    }
    const std::size_t before = out.size();
    merge(word, out);
    if (known == Whole::NotKnown)
        whole.store(out.size() == before + 1 && out.back() == id ? Whole::Yes : Whole::No,
                    std::memory_order_relaxed);
}

Status Bpe::encode(std::string_view piece, std::vector<TokenId>& out) const {
    if (!cutsAtWords_) {
        encodeWord(piece, out);
        return Done{};
    }
    for (std::size_t at = 0; at < piece.size();) {
        const std::size_t end = wordEnd(piece, at);
        encodeWord(piece.substr(at, end - at), out);
        at = end;
    }
    return Done{};
}

}  // namespace fl::tokenizer
