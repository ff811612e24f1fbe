// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/utf8.h"

#include <algorithm>

namespace fl::tokenizer {

namespace {

// How many bytes follow a lead byte, and the legal range of the first of them (Unicode 16,
// table 3-7); count 0: not a lead byte.
struct Lead {
    std::size_t follow = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
};

Lead leadOf(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF)
        return {1};
    if (byte == 0xE0)
        return {2, 0xA0, 0xBF};
    if (byte == 0xED)
        return {2, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF)
        return {2};
    if (byte == 0xF0)
        return {3, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3)
        return {3};
    if (byte == 0xF4)
        return {3, 0x80, 0x8F};
    return {};
}

}  // namespace

Utf8Char decodeUtf8(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
        return {first, 1, Utf8State::Valid};
    Lead lead = leadOf(first);
    if (lead.follow == 0)
        return {};
    char32_t code = first & (0x3FU >> lead.follow);
    for (std::size_t i = 1; i <= lead.follow; ++i) {
        if (at + i >= text.size())
            return {0xFFFD, i, Utf8State::Incomplete};
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if (byte < lead.low || byte > lead.high)
            return {0xFFFD, i, Utf8State::Invalid};
        code = (code << 6) | (byte & 0x3FU);
        lead.low = 0x80;
        lead.high = 0xBF;
    }
    return {code, lead.follow + 1, Utf8State::Valid};
}

void appendUtf8(std::string& out, char32_t code) {
    const auto add = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | (code >> 6));
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        add(0x80 | ((code >> 6) & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3F));
        add(0x80 | ((code >> 6) & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

std::string validUtf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        out += next.state == Utf8State::Valid ? text.substr(at, next.bytes) : kReplacement;
        at += next.bytes;
    }
    return out;
}

std::u32string toCodePoints(std::string_view text) {
    std::u32string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        out.push_back(next.code);
        at += next.bytes;
    }
    return out;
}

std::string fromCodePoints(std::u32string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char32_t code : text)
        appendUtf8(out, code);
    return out;
}

std::int64_t countCodePoints(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    });
}

}  // namespace fl::tokenizer
