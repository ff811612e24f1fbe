// SPDX-License-Identifier: Apache-2.0
// Values as Python prints them: str() and repr().
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "engine/tokenizer/template_value.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

void appendEscaped(std::string& out, char32_t code, char quote) {
    if (code == static_cast<char32_t>(quote) || code == '\\') {
        out += '\\';
        appendUtf8(out, code);
    } else if (code == '\n') {
        out += "\\n";
    } else if (code == '\r') {
        out += "\\r";
    } else if (code == '\t') {
        out += "\\t";
    } else if (isPrintable(code)) {
        appendUtf8(out, code);
    } else if (code < 0x100) {
        out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code));
    } else if (code < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else {
        out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(code));
    }
}

std::string stringRepr(const std::string& text) {
    const bool hasSingle = text.find('\'') != std::string::npos;
    const char quote = hasSingle && text.find('"') == std::string::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char32_t code : toCodePoints(text))
        appendEscaped(out, code, quote);
    out += quote;
    return out;
}

std::string listRepr(const List& list, int depth) {
    std::string out(1, list.isTuple ? '(' : '[');
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        out += i == 0 ? "" : ", ";
        out += toRepr(list.items[i], depth);
    }
    if (list.isTuple && list.items.size() == 1)
        out += ',';
    out += list.isTuple ? ')' : ']';
    return out;
}

std::string dictRepr(const Dict& dict, int depth) {
    std::string out = "{";
    for (std::size_t i = 0; i < dict.items.size(); ++i) {
        out += i == 0 ? "" : ", ";
        out += toRepr(dict.items[i].first, depth) + ": " + toRepr(dict.items[i].second, depth);
    }
    return out + "}";
}

}  // namespace

// Shortest text that reads back the same; exponents from 1e16 and below 1e-4, as CPython.
std::string floatRepr(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    const double magnitude = std::fabs(value);
    const bool plain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                      plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string out(buffer.data(), end.ptr);
    if (plain && out.find('.') == std::string::npos)
        out += ".0";
    return out;
}

std::string toRepr(const Value& value, int depth) {
    if (depth > kMaxNesting)
        return "...";
    if (value.isString())
        return stringRepr(value.string());
    if (value.isNone())
        return "None";
    if (value.isBool())
        return value.integer() != 0 ? "True" : "False";
    if (value.isInteger())
        return std::to_string(value.integer());
    if (const BigInteger* big = value.asBigInteger())
        return big->digits;
    if (value.isFloat())
        return floatRepr(value.number());
    if (value.isUndefined())
        return "Undefined";
    if (const List* list = value.asList())
        return listRepr(*list, depth + 1);
    if (const Dict* dict = value.asDict())
        return dictRepr(*dict, depth + 1);
    return fmt::format("<{}>", value.typeName());
}

std::string toStr(const Value& value) {
    if (value.isString())
        return value.string();
    return value.isUndefined() ? std::string() : toRepr(value);
}

}  // namespace fl::tokenizer::jinja
