// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

// Begin of the last character of a text that is not empty.
std::size_t lastCharacter(std::string_view text) {
    std::size_t at = text.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at;
}

bool touchesWord(std::string_view text, std::size_t begin, std::size_t end) {
    const std::string_view before = text.substr(0, begin);
    if (!before.empty() && isWordCharacter(decodeUtf8(before, lastCharacter(before)).code))
        return true;
    return end < text.size() && isWordCharacter(decodeUtf8(text, end).code);
}

std::size_t beforeSpaces(std::string_view text, std::size_t begin) {
    while (begin > 0) {
        const std::size_t last = lastCharacter(text.substr(0, begin));
        if (!isSpace(decodeUtf8(text, last).code))
            break;
        begin = last;
    }
    return begin;
}

std::size_t afterSpaces(std::string_view text, std::size_t end) {
    while (end < text.size()) {
        const Utf8Char next = decodeUtf8(text, end);
        if (!isSpace(next.code))
            break;
        end += next.bytes;
    }
    return end;
}

}  // namespace

AddedToken addedTokenOf(const Json& entry) {
    AddedToken token;
    token.content = entry["content"].string();
    token.special = entry["special"].boolean();
    token.singleWord = entry["single_word"].boolean();
    token.stripLeft = entry["lstrip"].boolean();
    token.stripRight = entry["rstrip"].boolean();
    return token;
}

void AddedTokens::add(AddedToken token) {
    if (!token.content.empty())
        tokens_.push_back(std::move(token));
}

void AddedTokens::finish() {
    std::vector<PieceTrie::Entry> entries;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        entries.emplace_back(tokens_[i].content, static_cast<TokenId>(i));
        begins_[static_cast<unsigned char>(tokens_[i].content.front())] = true;
    }
    trie_ = PieceTrie::of(std::move(entries));
}

Status AddedTokens::split(std::string_view text,
                          bool skipSpecial,
                          const std::function<Status(const TextPart&)>& sink) const {
    std::size_t done = 0;
    for (std::size_t at = tokens_.empty() ? text.size() : 0; at < text.size();) {
        TokenId index = -1;
        if (begins_[static_cast<unsigned char>(text[at])])
            trie_.prefixesOf(text.substr(at),
                             [&](std::size_t, TokenId longest) { index = longest; });
        if (index < 0) {
            ++at;
            continue;
        }
        const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
        std::size_t begin = at;
        std::size_t end = at + token.content.size();
        // A match that does not count still hides those that begin inside it.
        at = end;
        if ((token.special && skipSpecial) || (token.singleWord && touchesWord(text, begin, end)))
            continue;
        if (token.stripLeft)
            begin = done + beforeSpaces(text.substr(done, begin - done), begin - done);
        if (token.stripRight)
            end = afterSpaces(text, end);
        if (begin > done)
            FL_DO(sink({text.substr(done, begin - done), -1}));
        FL_DO(sink({text.substr(begin, end - begin), token.id}));
        done = end;
        at = std::max(at, end);
    }
    if (done < text.size())
        return sink({text.substr(done), -1});
    return Done{};
}

}  // namespace fl::tokenizer
