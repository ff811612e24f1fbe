// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/unicode.h"

#include <cstdlib>
#include <memory>

#include <fmt/core.h>
#include <utf8proc.h>

#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer {

namespace {

utf8proc_category_t categoryOf(char32_t code) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

int optionsOf(NormalForm form) {
    switch (form) {
        case NormalForm::NFC:
            return UTF8PROC_COMPOSE;
        case NormalForm::NFD:
            return UTF8PROC_DECOMPOSE;
        case NormalForm::NFKC:
            return UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
        case NormalForm::NFKD:
            return UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    }
    return UTF8PROC_COMPOSE;
}

}  // namespace

Result<std::string> normalized(std::string_view text, NormalForm form) {
    utf8proc_uint8_t* raw = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &raw,
                     static_cast<utf8proc_option_t>(optionsOf(form) | UTF8PROC_STABLE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(raw, &std::free);
    if (size < 0)
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("text cannot be normalised: {}", utf8proc_errmsg(size))};
    return std::string(reinterpret_cast<const char*>(raw), static_cast<std::size_t>(size));
}

std::size_t graphemeBytes(std::string_view text) {
    utf8proc_int32_t state = 0;
    Utf8Char last = decodeUtf8(text, 0);
    std::size_t end = last.bytes;
    while (end < text.size()) {
        const Utf8Char next = decodeUtf8(text, end);
        if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last.code),
                                             static_cast<utf8proc_int32_t>(next.code), &state))
            break;
        end += next.bytes;
        last = next;
    }
    return end;
}

std::string withoutMarks(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char next = decodeUtf8(text, at);
        const utf8proc_category_t category = categoryOf(next.code);
        if (category < UTF8PROC_CATEGORY_MN || category > UTF8PROC_CATEGORY_ME)
            out += text.substr(at, next.bytes);
        at += next.bytes;
    }
    return out;
}

std::string toLowerFully(std::string_view text) {
    std::string out;
    for (const char32_t code : toCodePoints(text)) {
        if (code == 0x130)
            out += "i\xCC\x87";
        else
            appendUtf8(out, lowerOf(code));
    }
    return out;
}

bool isWordCharacter(char32_t code) {
    switch (categoryOf(code)) {
        case UTF8PROC_CATEGORY_LU:
        case UTF8PROC_CATEGORY_LL:
        case UTF8PROC_CATEGORY_LT:
        case UTF8PROC_CATEGORY_LM:
        case UTF8PROC_CATEGORY_LO:
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
        case UTF8PROC_CATEGORY_ND:
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_PC:
            return true;
        default:
            return code == 0x200C || code == 0x200D;
    }
}

bool isSpace(char32_t code) {
    if (code < 0x80)
        return code == ' ' || (code >= '\t' && code <= '\r');
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool isPythonSpace(char32_t code) {
    return isSpace(code) || (code >= 0x1C && code <= 0x1F);
}

bool isLetter(char32_t code) {
    const int category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isDigit(char32_t code) {
    return categoryOf(code) == UTF8PROC_CATEGORY_ND;
}

bool isSuperDigit(char32_t code) {
    return code == 0xB2 || code == 0xB3 || code == 0xB9 || code == 0x2070 ||
           (code >= 0x2074 && code <= 0x2079) || (code >= 0x2080 && code <= 0x2089) ||
           (code >= 0x2460 && code <= 0x2468) || (code >= 0x2474 && code <= 0x247C) ||
           (code >= 0x2488 && code <= 0x2490);
}

bool isNumeric(char32_t code) {
    const int category = categoryOf(code);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isLower(char32_t code) {
    return categoryOf(code) == UTF8PROC_CATEGORY_LL;
}

bool isUpper(char32_t code) {
    return categoryOf(code) == UTF8PROC_CATEGORY_LU;
}

bool isPrintable(char32_t code) {
    switch (categoryOf(code)) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        case UTF8PROC_CATEGORY_ZS:
            return code == ' ';
        default:
            return true;
    }
}

std::string toUpper(std::string_view text) {
    std::string out;
    for (const char32_t code : toCodePoints(text)) {
        if (code == 0xDF)
            out += "SS";
        else
            appendUtf8(
                out, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(code))));
    }
    return out;
}

std::string toLower(std::string_view text) {
    std::string out;
    for (const char32_t code : toCodePoints(text))
        appendUtf8(out, lowerOf(code));
    return out;
}

std::string caseFolded(std::string_view text) {
    std::string out;
    for (const char32_t code : toCodePoints(text)) {
        utf8proc_int32_t folded[4];
        int boundClass = UTF8PROC_BOUNDCLASS_START;
        const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), folded, 4,
                                                   UTF8PROC_CASEFOLD, &boundClass);
        for (utf8proc_ssize_t i = 0; i < count && i < 4; ++i)
            appendUtf8(out, static_cast<char32_t>(folded[i]));
    }
    return out;
}

char32_t lowerOf(char32_t code) {
    return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}

char32_t titleOf(char32_t code) {
    return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(code)));
}

}  // namespace fl::tokenizer
