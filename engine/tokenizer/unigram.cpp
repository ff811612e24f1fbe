// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/unigram.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/merge.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

constexpr std::uint32_t kUnknownCharacter = 0xFFFFFF;

// The 256 byte tokens, or nothing if one of them is missing.
std::vector<TokenId> byteTokens(const Vocabulary& vocabulary) {
    std::vector<TokenId> ids;
    for (int byte = 0; byte < 256; ++byte) {
        const TokenId id =
            vocabulary.findSpelling(fallbackSpelling(static_cast<unsigned char>(byte)));
        if (id < 0)
            return {};
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary,
                 const std::vector<TokenId>& found,
                 std::vector<double> scores,
                 const UnigramOptions& options)
    : vocabulary_(vocabulary),
      options_(options),
      scores_(std::move(scores)) {
    std::vector<PieceTrie::Entry> entries;
    entries.reserve(found.size());
    for (const TokenId id : found) {
        entries.emplace_back(vocabulary.bytes(id), id);
        longest_ = std::max(longest_, vocabulary.bytes(id).size());
    }
    trie_ = PieceTrie::of(std::move(entries));
    if (options.byteFallback)
        byteIds_ = byteTokens(vocabulary);
}

// The best way to each place of a text. Scores are kept only as far as a piece reaches, the piece
// that ends at a place for all of them.
class Unigram::Path {
public:
    Path(const Unigram& model, std::string_view text)
        : model_(model),
          text_(text),
          best_(std::bit_ceil(std::min(model.longest_, text.size()) + 8)) {
        last_.resize(text.size() + 1, 0);
        place(0) = {0, true};
    }

    void run() {
        for (std::size_t at = 0; at < text_.size();) {
            const double here = place(at).score;
            place(at) = {};
            const std::size_t width = decodeUtf8(text_, at).bytes;
            bool isKnown = false;
            model_.trie_.prefixesOf(text_.substr(at), [&](std::size_t length, TokenId id) {
                offer(at + length, here + model_.scores_[static_cast<std::size_t>(id)],
                      static_cast<std::uint32_t>(id));
                isKnown = isKnown || length == width;
            });
            if (!isKnown)
                offer(at + width, rounded(here + model_.options_.unknownScore), kUnknownCharacter);
            at += width;
        }
    }

    // From the last piece to the first: sink(begin, end, id), −1 where a character is unknown.
    template <class Sink>
    void eachFromBehind(const Sink& sink) const {
        for (std::size_t end = text_.size(); end > 0;) {
            const std::uint32_t code = last_.get(end);
            const bool isUnknown = code == kUnknownCharacter;
            std::size_t begin = end - 1;
            if (isUnknown) {
                while (begin > 0 && (static_cast<unsigned char>(text_[begin]) & 0xC0) == 0x80)
                    --begin;
            } else {
                begin = end - model_.vocabulary_.bytes(static_cast<TokenId>(code)).size();
            }
            sink(begin, end, isUnknown ? -1 : static_cast<TokenId>(code));
            end = begin;
        }
    }

private:
    struct Best {
        double score = 0;
        bool isReached = false;
    };
    Best& place(std::size_t at) { return best_[at & (best_.size() - 1)]; }
    double rounded(double score) const {
        return model_.options_.singlePrecision ? static_cast<double>(static_cast<float>(score))
                                               : score;
    }
    void offer(std::size_t at, double score, std::uint32_t code) {
        Best& best = place(at);
        if (best.isReached && score <= best.score)
            return;
        best = {rounded(score), true};
        last_.set(at, code);
    }

    const Unigram& model_;
    std::string_view text_;
    std::vector<Best> best_;
    PackedList last_;
};

Status Unigram::emitUnknown(std::string_view run, std::vector<TokenId>& out) const {
    if (options_.looksUpUnknown) {
        if (const TokenId id = vocabulary_.findBytes(run); id >= 0) {
            out.push_back(id);
            return Done{};
        }
    }
    if (!byteIds_.empty()) {
        for (const char byte : run)
            out.push_back(byteIds_[static_cast<unsigned char>(byte)]);
        return Done{};
    }
    if (options_.unknown < 0)
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("the model has no token for '{}' and none for unknown text", run)};
    out.push_back(options_.unknown);
    return Done{};
}

Status Unigram::encode(std::string_view piece, std::vector<TokenId>& out) const {
    Path path(*this, piece);
    path.run();
    const std::size_t before = out.size();
    std::size_t runBegin = 0;  // of unknown characters
    std::size_t runEnd = 0;
    Status status = Done{};
    const auto release = [&] {
        const std::size_t first = out.size();
        if (runEnd > runBegin && status)
            status = emitUnknown(piece.substr(runBegin, runEnd - runBegin), out);
        std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
        runEnd = runBegin = 0;
    };
    path.eachFromBehind([&](std::size_t begin, std::size_t end, TokenId id) {
        if (id < 0 || id == options_.unknown) {
            runEnd = runEnd == runBegin ? end : runEnd;
            runBegin = begin;
            return;
        }
        release();
        out.push_back(id);
    });
    release();
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    return status;
}

}  // namespace fl::tokenizer
