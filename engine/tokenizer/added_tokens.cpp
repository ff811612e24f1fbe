// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

std::uint64_t edgeOf(std::int32_t node, char byte) {
    return (static_cast<std::uint64_t>(node) << 8) | static_cast<unsigned char>(byte);
}

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

void AddedTokens::add(AddedToken token) {
    if (token.content.empty())
        return;
    std::int32_t node = 0;
    for (const char byte : token.content) {
        const auto [edge, isNew] =
            edges_.try_emplace(edgeOf(node, byte), static_cast<std::int32_t>(nodes_.size()));
        if (isNew)
            nodes_.emplace_back();
        node = edge->second;
    }
    nodes_[static_cast<std::size_t>(node)].token = static_cast<std::int32_t>(tokens_.size());
    tokens_.push_back(std::move(token));
}

std::int32_t AddedTokens::longestAt(std::string_view text, std::size_t at) const {
    std::int32_t node = 0;
    std::int32_t found = -1;
    for (; at < text.size(); ++at) {
        const auto edge = edges_.find(edgeOf(node, text[at]));
        if (edge == edges_.end())
            break;
        node = edge->second;
        if (const std::int32_t token = nodes_[static_cast<std::size_t>(node)].token; token >= 0)
            found = token;
    }
    return found;
}

std::vector<TextPart> AddedTokens::split(std::string_view text, bool skipSpecial) const {
    std::vector<TextPart> parts;
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::int32_t index = tokens_.empty() ? -1 : longestAt(text, at);
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
            begin = std::max(beforeSpaces(text, begin), done);
        if (token.stripRight)
            end = afterSpaces(text, end);
        if (begin > done)
            parts.push_back({text.substr(done, begin - done), -1});
        parts.push_back({text.substr(begin, end - begin), token.id});
        done = end;
        at = std::max(at, end);
    }
    if (done < text.size())
        parts.push_back({text.substr(done), -1});
    return parts;
}

}  // namespace fl::tokenizer
