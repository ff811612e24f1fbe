// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/charsmap.h"

#include <cstring>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

constexpr std::size_t kMaxGraphemeBytes = 5;

bool hasLeaf(std::uint32_t unit) {
    return (unit >> 8 & 1) != 0;
}
std::uint32_t labelOf(std::uint32_t unit) {
    return unit & 0x800000FFu;
}
std::uint32_t offsetOf(std::uint32_t unit) {
    return unit >> 10 << ((unit & 0x200u) >> 6);
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view blob) {
    std::uint32_t bytes = 0;
    if (blob.size() >= sizeof bytes)
        std::memcpy(&bytes, blob.data(), sizeof bytes);
    if (blob.size() <= sizeof bytes || bytes == 0 || bytes % 4 != 0 ||
        bytes > blob.size() - sizeof bytes)
        return Error{ErrorCode::Corrupt,
                     fmt::format("precompiled_charsmap of {} bytes claims a table of {} bytes",
                                 blob.size(), bytes)};
    Charsmap map;
    map.units_.resize(bytes / 4);
    std::memcpy(map.units_.data(), blob.data() + sizeof bytes, bytes);
    map.texts_ = blob.substr(sizeof bytes + bytes);
    if (utf8Fault(map.texts_) != std::string::npos || !map.texts_.ends_with('\0'))
        return Error{ErrorCode::Corrupt,
                     fmt::format("precompiled_charsmap has {} bytes of replacements that are no "
                                 "UTF-8 texts with a zero behind each",
                                 map.texts_.size())};
    return map;
}

std::string_view Charsmap::replacementAt(std::uint32_t offset) const {
    const bool isInside = offset < texts_.size() && (texts_[offset] & 0xC0) == 0x80;
    if (offset >= texts_.size() || isInside)
        return {};
    const std::string_view rest = std::string_view(texts_).substr(offset);
    return rest.substr(0, rest.find('\0'));
}

template <class Sink>
void Charsmap::prefixesOf(std::string_view text, const Sink& sink) const {
    std::size_t at = offsetOf(units_[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        if (at >= units_.size() || labelOf(units_[at]) != byte)
            return;
        const std::uint32_t unit = units_[at];
        at ^= offsetOf(unit);
        if (at >= units_.size())
            return;
        if (hasLeaf(unit) && !sink(i + 1, units_[at] & 0x7FFFFFFFu))
            return;
    }
}

Charsmap::Match Charsmap::longest(std::string_view text) const {
    Match match;
    prefixesOf(text, [&](std::size_t length, std::uint32_t offset) {
        match = {length, replacementAt(offset)};
        return true;
    });
    return match;
}

Charsmap::Match Charsmap::shortest(std::string_view text) const {
    Match match;
    prefixesOf(text, [&](std::size_t length, std::uint32_t offset) {
        match = {length, replacementAt(offset)};
        return false;
    });
    return match;
}

std::string replacedByGraphemes(const Charsmap& map, std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view grapheme = text.substr(at, graphemeBytes(text.substr(at)));
        at += grapheme.size();
        if (grapheme.size() <= kMaxGraphemeBytes) {
            if (const Charsmap::Match whole = map.shortest(grapheme); whole.length > 0) {
                out += whole.replacement;
                continue;
            }
        }
        for (std::size_t i = 0; i < grapheme.size();) {
            const std::string_view character = grapheme.substr(i, decodeUtf8(grapheme, i).bytes);
            const Charsmap::Match match = map.shortest(character);
            out += match.length > 0 ? match.replacement : character;
            i += character.size();
        }
    }
    return out;
}

}  // namespace fl::tokenizer
