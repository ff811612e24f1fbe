// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/bpe.h"

#include <fmt/core.h>

#include <queue>

namespace fl::tokenizer {

namespace {

std::uint64_t keyOf(TokenId left, TokenId right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
           static_cast<std::uint32_t>(right);
}

struct Candidate {
    std::int32_t rank = 0;
    std::int32_t at = 0;
    TokenId merged = -1;
    // For a queue whose top is the lowest rank, then the leftmost place.
    bool operator<(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : at > other.at;
    }
};

}  // namespace

// A doubly linked list inside a vector; a symbol that was merged into its left neighbour has
// id −1.
struct Bpe::Symbol {
    TokenId id = -1;
    std::int32_t previous = -1;
    std::int32_t next = -1;
};

Bpe::Bpe(const Vocabulary& vocabulary, const BpeOptions& options) : options_(options) {
    for (std::size_t byte = 0; byte < byteIds_.size(); ++byte) {
        const char text = static_cast<char>(byte);
        byteIds_[byte] = vocabulary.findBytes(std::string_view(&text, 1));
    }
}

Status Bpe::addMerge(const Vocabulary& vocabulary, std::string_view left, std::string_view right) {
    const std::string joined = std::string(left) + std::string(right);
    const TokenId leftId = vocabulary.findSpelling(left);
    const TokenId rightId = vocabulary.findSpelling(right);
    const TokenId merged = vocabulary.findSpelling(joined);
    if (leftId < 0 || rightId < 0 || merged < 0)
        return Error{ErrorCode::Corrupt,
                     fmt::format("merge {} ('{}' '{}') needs the token '{}', which the vocabulary "
                                 "does not have",
                                 nextRank_, left, right,
                                 leftId < 0    ? std::string(left)
                                 : rightId < 0 ? std::string(right)
                                               : joined)};
    // A repeated rule replaces the earlier one, as the tokenizers library has it.
    rules_[keyOf(leftId, rightId)] = {nextRank_++, merged};
    return Done{};
}

const Bpe::Rule* Bpe::ruleFor(TokenId left, TokenId right) const {
    const auto found = rules_.find(keyOf(left, right));
    return found == rules_.end() ? nullptr : &found->second;
}

std::vector<Bpe::Symbol> Bpe::symbolsOf(std::string_view piece) const {
    std::vector<Symbol> symbols;
    symbols.reserve(piece.size());
    bool afterUnknown = false;
    for (const char byte : piece) {
        TokenId id = byteIds_[static_cast<unsigned char>(byte)];
        const bool isUnknown = id < 0;
        if (isUnknown) {
            id = options_.unknown;
            if (id < 0 || (afterUnknown && options_.fuseUnknown))
                continue;
        }
        afterUnknown = isUnknown;
        const auto index = static_cast<std::int32_t>(symbols.size());
        if (index > 0)
            symbols.back().next = index;
        symbols.push_back({id, index - 1, -1});
    }
    return symbols;
}

void Bpe::encode(const Vocabulary& vocabulary,
                 std::string_view piece,
                 std::vector<TokenId>& out) const {
    if (options_.ignoreMerges) {
        if (const TokenId whole = vocabulary.findBytes(piece); whole >= 0) {
            out.push_back(whole);
            return;
        }
    }
    std::vector<Symbol> symbols = symbolsOf(piece);
    std::priority_queue<Candidate> queue;
    const auto offer = [&](std::int32_t at) {
        if (at < 0 || symbols[at].next < 0)
            return;
        if (const Rule* rule = ruleFor(symbols[at].id, symbols[symbols[at].next].id))
            queue.push({rule->rank, at, rule->merged});
    };
    for (std::size_t i = 0; i < symbols.size(); ++i)
        offer(static_cast<std::int32_t>(i));
    while (!queue.empty()) {
        const Candidate top = queue.top();
        queue.pop();
        Symbol& left = symbols[top.at];
        if (left.id < 0 || left.next < 0)
            continue;
        Symbol& right = symbols[left.next];
        // Either side may have been merged since this pair was found.
        const Rule* rule = ruleFor(left.id, right.id);
        if (rule == nullptr || rule->merged != top.merged)
            continue;
        left.id = rule->merged;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0)
            symbols[left.next].previous = top.at;
        offer(top.at);
        offer(left.previous);
    }
    for (const Symbol& symbol : symbols) {
        if (symbol.id >= 0)
            out.push_back(symbol.id);
    }
}

}  // namespace fl::tokenizer
