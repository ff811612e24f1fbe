// SPDX-License-Identifier: Apache-2.0
// Filters for HTML and URLs. Nothing is escaped unasked.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

Result<Value> made(Runtime& runtime, std::string text) {
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
    return Value(std::move(text));
}

Result<Value> escape(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    FL_TRY(const Value text, made(runtime, escaped(input)));
    return Value::markup(text.string());
}

Result<Value> forceescape(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    FL_TRY(const Value text, made(runtime, escaped(Value(toStr(input)))));
    return Value::markup(text.string());
}

// The characters of "&name;" that texts meet, and of any number.
std::string unescapedEntity(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
        {"amp", "&"},   {"lt", "<"},        {"gt", ">"},     {"quot", "\""},
        {"apos", "'"},  {"nbsp", "\u00a0"}, {"copy", "©"},   {"hellip", "…"},
        {"ndash", "–"}, {"mdash", "—"},     {"eacute", "é"}, {"auml", "ä"},
        {"ouml", "ö"},  {"uuml", "ü"},      {"szlig", "ß"},  {"euro", "€"}};
    for (const auto& [known, text] : kNamed) {
        if (known == name)
            return std::string(text);
    }
    if (name.size() < 2 || name[0] != '#')
        return "";
    const bool hex = name[1] == 'x' || name[1] == 'X';
    std::uint32_t code = 0;
    const char* begin = name.data() + (hex ? 2 : 1);
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(begin, end, code, hex ? 16 : 10);
    if (read.ec != std::errc() || read.ptr != end || code == 0 || code > 0x10FFFF)
        return "";
    std::string out;
    appendUtf8(out, code);
    return out;
}

std::string withoutEntities(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        constexpr std::size_t kLongest = 12;  // with & and ;
        const std::size_t size =
            text[at] == '&' ? text.substr(at, kLongest).find(';') : std::string_view::npos;
        const std::string meant =
            size != std::string_view::npos ? unescapedEntity(text.substr(at + 1, size - 1)) : "";
        if (meant.empty()) {
            out += text[at];
            continue;
        }
        out += meant;
        at += size;
    }
    return out;
}

// Everything from `open` to the next `close` is cut out, as often as it stands there.
std::string without(std::string text, std::string_view open, std::string_view close) {
    std::string out;
    std::size_t at = 0;
    for (;;) {
        const std::size_t begin = text.find(open, at);
        const std::size_t end =
            begin == std::string::npos ? begin : text.find(close, begin + open.size());
        if (end == std::string::npos)
            return out + text.substr(at);
        out += text.substr(at, begin - at);
        at = end + close.size();
    }
}

Result<Value> striptags(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    const std::string plain = without(without(toStr(input), "<!--", "-->"), "<", ">");
    std::string out;
    for (const Value& word : splitSpaces(plain, -1)) {
        out += out.empty() ? "" : " ";
        out += word.string();
    }
    return made(runtime, withoutEntities(out));
}

std::string quoted(std::string_view text, std::string_view plainSigns) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                           plainSigns.find(c) != std::string_view::npos);
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

// A part of a query: a space is "+".
std::string quotedPart(const Value& value) {
    return replaced(quoted(toStr(value), "_.-~ "), " ", "+", -1);
}

Result<Value> urlencode(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    const bool isPairs = input.asDict() != nullptr || input.asList() != nullptr;
    if (!isPairs)
        return made(runtime, quoted(toStr(input), "_.-~/"));
    std::vector<std::pair<Value, Value>> pairs;
    if (const Dict* dict = input.asDict()) {
        pairs = dict->items;
    } else {
        FL_TRY(const std::vector<Value> items, iterate(runtime, input));
        for (const Value& item : items) {
            FL_TRY(const std::vector<Value> parts, iterate(runtime, item));
            if (parts.size() != 2)
                return typeError("filter 'urlencode' needs pairs");
            pairs.emplace_back(parts[0], parts[1]);
        }
    }
    std::string out;
    for (const auto& [key, value] : pairs) {
        out += (out.empty() ? "" : "&") + quotedPart(key) + "=" + quotedPart(value);
        FL_DO(runtime.grow(static_cast<std::int64_t>(out.size())));
    }
    return Value(std::move(out));
}

Result<Value> xmlattr(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Dict* dict = input.asDict();
    if (dict == nullptr)
        return typeError(fmt::format("filter 'xmlattr' needs a mapping, not {}", input.typeName()));
    std::string out;
    for (const auto& [key, value] : dict->items) {
        if (value.isNone() || value.isUndefined())
            continue;
        const std::string name = toStr(key);
        if (name.find_first_of(" \t\n\f\r/>=") != std::string::npos)
            return typeError(fmt::format("'{}' is no name of an attribute", name));
        out += (out.empty() ? "" : " ") + escaped(key) + "=\"" + escaped(value) + "\"";
        FL_DO(runtime.grow(static_cast<std::int64_t>(out.size())));
    }
    if (!out.empty() && arguments.flag(0, "autospace", true))
        out.insert(0, " ");
    return Value(std::move(out));
}

constexpr NamedFilter kFilters[] = {
    {"e", escape},
    {"escape", escape},
    {"forceescape", forceescape},
    {"striptags", striptags},
    {"urlencode", urlencode},
    {"xmlattr", xmlattr, "autospace"},
};

}  // namespace

std::span<const NamedFilter> htmlFilters() {
    return kFilters;
}

}  // namespace fl::tokenizer::jinja
