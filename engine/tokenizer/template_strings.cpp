// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_strings.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

// Digits after \x, \u and \U.
std::size_t hexDigits(char escape) {
    return escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
}

// The character that a one-letter escape stands for, or '\0'.
char simpleEscape(char escape) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"";
    static constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"";
    const std::size_t at = kLetters.find(escape);
    return at == std::string_view::npos ? '\0' : kMeant[at];
}

}  // namespace

Result<std::string> unescaped(std::string_view literal) {
    std::string out;
    for (std::size_t at = 0; at < literal.size(); ++at) {
        if (literal[at] != '\\' || at + 1 == literal.size()) {
            out += literal[at];
            continue;
        }
        const char escape = literal[++at];
        if (escape == 'N')
            return Error{ErrorCode::Unsupported, "characters cannot be given by name (\\N)"};
        if (const char meant = simpleEscape(escape); meant != '\0') {
            out += meant;
        } else if (const std::size_t digits = hexDigits(escape); digits > 0) {
            std::uint32_t code = 0;
            const std::string_view hex = literal.substr(at + 1, digits);
            const auto read = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
            if (hex.size() < digits || read.ptr != hex.data() + digits || code > 0x10FFFF)
                return Error{ErrorCode::Corrupt,
                             fmt::format("'\\{}' needs {} digits", escape, digits)};
            appendUtf8(out, code);
            at += digits;
        } else if (escape >= '0' && escape <= '7') {
            std::uint32_t code = 0;
            const std::string_view octal = literal.substr(at, 3);
            const auto read = std::from_chars(octal.data(), octal.data() + octal.size(), code, 8);
            appendUtf8(out, code);
            at += static_cast<std::size_t>(read.ptr - octal.data()) - 1;
        } else if (escape != '\n') {
            out += '\\';
            out += escape;
        }
    }
    return out;
}

std::string strip(std::string_view text, const Strip& how) {
    const std::u32string codes = toCodePoints(text);
    const std::u32string set = how.characters ? toCodePoints(*how.characters) : std::u32string();
    const auto drops = [&](char32_t code) {
        return how.characters ? set.find(code) != std::u32string::npos : isPythonSpace(code);
    };
    std::size_t begin = 0;
    std::size_t end = codes.size();
    while (how.left && begin < end && drops(codes[begin]))
        ++begin;
    while (how.right && end > begin && drops(codes[end - 1]))
        --end;
    return fromCodePoints(std::u32string_view(codes).substr(begin, end - begin));
}

std::vector<Value> splitSpaces(std::string_view text, std::int64_t limit) {
    const std::u32string codes = toCodePoints(text);
    std::vector<Value> parts;
    for (std::size_t at = 0;;) {
        while (at < codes.size() && isPythonSpace(codes[at]))
            ++at;
        if (at == codes.size())
            return parts;
        std::size_t end = at;
        if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
            end = codes.size();
            while (isPythonSpace(codes[end - 1]))
                --end;
            parts.emplace_back(fromCodePoints(std::u32string_view(codes).substr(at, end - at)));
            return parts;
        }
        while (end < codes.size() && !isPythonSpace(codes[end]))
            ++end;
        parts.emplace_back(fromCodePoints(std::u32string_view(codes).substr(at, end - at)));
        at = end;
    }
}

std::vector<Value> rsplitSpaces(std::string_view text, std::int64_t limit) {
    const std::u32string codes = toCodePoints(text);
    const auto part = [&](std::size_t begin, std::size_t end) {
        return Value(fromCodePoints(std::u32string_view(codes).substr(begin, end - begin)));
    };
    std::vector<Value> parts;
    for (std::size_t end = codes.size();;) {
        while (end > 0 && isPythonSpace(codes[end - 1]))
            --end;
        if (end == 0)
            break;
        std::size_t begin = end;
        if (limit >= 0 && static_cast<std::int64_t>(parts.size()) >= limit) {
            begin = 0;
            while (isPythonSpace(codes[begin]))
                ++begin;
            parts.push_back(part(begin, end));
            break;
        }
        while (begin > 0 && !isPythonSpace(codes[begin - 1]))
            --begin;
        parts.push_back(part(begin, end));
        end = begin;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<Value> splitAt(std::string_view text, std::string_view separator, std::int64_t limit) {
    std::vector<Value> parts;
    std::size_t at = 0;
    while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
        const std::size_t found = text.find(separator, at);
        if (found == std::string_view::npos)
            break;
        parts.emplace_back(text.substr(at, found - at));
        at = found + separator.size();
    }
    parts.emplace_back(text.substr(at));
    return parts;
}

std::vector<Value> rsplitAt(std::string_view text, std::string_view separator, std::int64_t limit) {
    std::vector<Value> parts;
    while (limit < 0 || static_cast<std::int64_t>(parts.size()) < limit) {
        const std::size_t found = text.rfind(separator);
        if (found == std::string_view::npos)
            break;
        parts.emplace_back(text.substr(found + separator.size()));
        text = text.substr(0, found);
    }
    parts.emplace_back(text);
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<Value> splitLines(std::string_view text, bool keepEnds) {
    const auto endsLine = [](char32_t code) {
        return (code >= '\n' && code <= '\r') || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
               code == 0x2028 || code == 0x2029;
    };
    std::vector<Value> lines;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        std::size_t after = at + next.bytes;
        if (endsLine(next.code)) {
            if (next.code == '\r' && after < text.size() && text[after] == '\n')
                ++after;
            lines.emplace_back(text.substr(begin, (keepEnds ? after : at) - begin));
            begin = after;
        }
        at = after;
    }
    if (begin < text.size())
        lines.emplace_back(text.substr(begin));
    return lines;
}

std::string replaced(std::string_view text,
                     std::string_view from,
                     std::string_view to,
                     std::int64_t limit) {
    std::string out;
    std::size_t at = 0;
    for (std::int64_t count = 0; limit < 0 || count < limit; ++count) {
        if (from.empty()) {
            // Python puts the new text around every character.
            out += to;
            if (at == text.size())
                return out;
            const std::size_t bytes = decodeUtf8(text, at).bytes;
            out += text.substr(at, bytes);
            at += bytes;
            continue;
        }
        const std::size_t found = text.find(from, at);
        if (found == std::string_view::npos)
            break;
        out += text.substr(at, found - at);
        out += to;
        at = found + from.size();
    }
    out += text.substr(at);
    return out;
}

std::string capitalized(std::string_view text) {
    std::string out;
    for (const char32_t code : toCodePoints(text))
        appendUtf8(out, out.empty() ? titleOf(code) : lowerOf(code));
    return out;
}

std::string titled(std::string_view text) {
    std::string out;
    bool inWord = false;
    for (const char32_t code : toCodePoints(text)) {
        appendUtf8(out, inWord ? lowerOf(code) : titleOf(code));
        inWord = isLetter(code);
    }
    return out;
}

std::string escaped(const Value& value) {
    std::string text = toStr(value);
    if (value.isMarkup())
        return text;
    text = replaced(text, "&", "&amp;", -1);
    text = replaced(text, "<", "&lt;", -1);
    text = replaced(text, ">", "&gt;", -1);
    text = replaced(text, "'", "&#39;", -1);
    return replaced(text, "\"", "&#34;", -1);
}

std::int64_t occurrences(std::string_view text, std::string_view part) {
    std::int64_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

SliceRange clampSlice(std::optional<std::int64_t> begin,
                      std::optional<std::int64_t> end,
                      std::int64_t step,
                      std::int64_t size) {
    const std::int64_t low = step < 0 ? -1 : 0;
    const std::int64_t high = step < 0 ? size - 1 : size;
    const auto bound = [&](std::optional<std::int64_t> given, std::int64_t missing) {
        if (!given)
            return missing;
        // A bound far below −size would overflow when size is added.
        const std::int64_t value = *given < 0 ? std::max(*given, -size - 1) + size : *given;
        return std::clamp(value, low, high);
    };
    return {bound(begin, step < 0 ? high : low), bound(end, step < 0 ? low : high), step};
}

}  // namespace fl::tokenizer::jinja
