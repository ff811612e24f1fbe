// SPDX-License-Identifier: Apache-2.0
// Filters over one value: text and numbers.
#include <algorithm>
#include <charconv>
#include <cmath>

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

Result<Value> upper(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return made(runtime, toUpper(toStr(input)));
}

Result<Value> lower(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return made(runtime, toLower(toStr(input)));
}

Result<Value> capitalize(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return made(runtime, capitalized(toStr(input)));
}

// Unlike str.title(), a word goes on over an apostrophe.
Result<Value> title(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    std::string out;
    bool inWord = false;
    for (const char32_t code : toCodePoints(toStr(input))) {
        appendUtf8(out, inWord ? lowerOf(code) : titleOf(code));
        inWord =
            !isSpace(code) && std::u32string_view(U"-({[<").find(code) == std::u32string_view::npos;
    }
    return made(runtime, std::move(out));
}

Result<Value> trim(Runtime& runtime, const Value& input, const Arguments& arguments) {
    Strip how;
    if (const Value* characters = arguments.get(0, "chars"))
        if (characters->isString())
            how.characters = characters->string();
    return made(runtime, strip(toStr(input), how));
}

Result<Value> replace(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Value* from = arguments.get(0, "old");
    const Value* to = arguments.get(1, "new");
    if (from == nullptr || to == nullptr)
        return typeError("filter 'replace' needs an old and a new text");
    return made(runtime, replaced(toStr(input), toStr(*from), toStr(*to),
                                  arguments.integer(2, "count", -1)));
}

Result<Value> string(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return made(runtime, toStr(input));
}

// Marks text as HTML that needs no escape; nothing is escaped here.
Result<Value> safe(Runtime& /*runtime*/, const Value& input, const Arguments& /*none*/) {
    return input;
}

Result<Value> escape(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    std::string text = toStr(input);
    text = replaced(text, "&", "&amp;", -1);
    text = replaced(text, "<", "&lt;", -1);
    text = replaced(text, ">", "&gt;", -1);
    text = replaced(text, "'", "&#39;", -1);
    return made(runtime, replaced(text, "\"", "&#34;", -1));
}

Result<Value> format(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(std::string text, percentFormat(toStr(input), arguments.positional));
    return made(runtime, std::move(text));
}

Result<Value> toInteger(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    const Value* given = arguments.get(0, "default");
    const Value fallback = given != nullptr ? *given : Value(0);
    if (input.isIntegral())
        return Value(input.integer());
    if (input.isBigInteger())
        return input;
    if (input.isFloat())
        return std::fabs(input.number()) < 9e18 ? Value(static_cast<std::int64_t>(input.number()))
                                                : fallback;
    if (!input.isString())
        return fallback;
    const std::string text = strip(input.string(), {});
    std::int64_t value = 0;
    const char* begin = text.data() + (text.substr(0, 1) == "+" ? 1 : 0);
    const char* end = text.data() + text.size();
    const int base = static_cast<int>(arguments.integer(1, "base", 10));
    if (base < 2 || base > 36)
        return fallback;
    if (const auto read = std::from_chars(begin, end, value, base);
        read.ec == std::errc() && read.ptr == end)
        return Value(value);
    double fraction = 0;
    if (const auto read = std::from_chars(begin, end, fraction);
        read.ec == std::errc() && read.ptr == end && std::fabs(fraction) < 9e18)
        return Value(static_cast<std::int64_t>(fraction));
    return fallback;
}

Result<Value> toFloat(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    const Value* given = arguments.get(0, "default");
    if (input.isNumber())
        return Value(input.number());
    if (input.isString()) {
        const std::string text = strip(input.string(), {});
        double value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec == std::errc() && read.ptr == text.data() + text.size())
            return Value(value);
    }
    return given != nullptr ? *given : Value(0.0);
}

Result<Value> absolute(Runtime& /*runtime*/, const Value& input, const Arguments& /*none*/) {
    if (input.isIntegral() && input.integer() != INT64_MIN)
        return Value(input.integer() < 0 ? -input.integer() : input.integer());
    if (input.isFloat())
        return Value(std::fabs(input.number()));
    return typeError(fmt::format("bad operand type for abs(): '{}'", input.typeName()));
}

Result<Value> round(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    if (!input.isNumber())
        return typeError(fmt::format("filter 'round' needs a number, not {}", input.typeName()));
    const std::int64_t precision =
        std::clamp<std::int64_t>(arguments.integer(0, "precision", 0), -300, 300);
    const std::string method = arguments.text(1, "method", "common");
    const double scale = std::pow(10.0, static_cast<double>(precision));
    const double scaled = input.number() * scale;
    double rounded = std::nearbyint(scaled);  // half to even, as Python's round()
    if (method == "ceil")
        rounded = std::ceil(scaled);
    else if (method == "floor")
        rounded = std::floor(scaled);
    if (method == "common" && input.isIntegral())
        return Value(input.integer());
    return Value(rounded / scale);
}

Result<Value> defaulted(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    const bool replacesFalse = arguments.flag(1, "boolean", false);
    if (!input.isUndefined() && (!replacesFalse || input.truthy()))
        return input;
    const Value* given = arguments.get(0, "default_value");
    return given != nullptr ? *given : Value("");
}

Result<Value> tojson(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(std::string text, dumpJson(runtime, input, arguments));
    return Value(std::move(text));
}

Result<Value> indent(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Value* width = arguments.get(0, "width");
    const std::int64_t count = std::clamp<std::int64_t>(arguments.integer(0, "width", 4), 0, 1000);
    const std::string margin = width != nullptr && width->isString()
                                   ? width->string()
                                   : std::string(static_cast<std::size_t>(count), ' ');
    const bool first = arguments.flag(1, "first", false);
    const bool blank = arguments.flag(2, "blank", false);
    const std::string text = toStr(input);
    std::string out;
    bool isFirst = true;
    for (const Value& line : splitAt(text, "\n", -1)) {
        out += isFirst ? "" : "\n";
        if (isFirst ? first : blank || !line.string().empty())
            out += margin;
        out += line.string();
        isFirst = false;
        FL_DO(runtime.grow(static_cast<std::int64_t>(margin.size())));
    }
    return made(runtime, std::move(out));
}

Result<Value> truncate(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const std::u32string text = toCodePoints(toStr(input));
    const std::int64_t length = arguments.integer(0, "length", 255);
    const std::u32string end = toCodePoints(arguments.text(2, "end", "..."));
    const std::int64_t leeway = arguments.integer(3, "leeway", 5);
    const auto size = static_cast<std::int64_t>(text.size());
    if (length < static_cast<std::int64_t>(end.size()) || size - leeway <= length)
        return made(runtime, fromCodePoints(text));
    std::u32string kept = text.substr(0, static_cast<std::size_t>(length) - end.size());
    if (!arguments.flag(1, "killwords", false)) {
        const std::size_t space = kept.rfind(U' ');
        kept = kept.substr(0, space == std::u32string::npos ? kept.size() : space);
    }
    return made(runtime, fromCodePoints(kept + end));
}

Result<Value> wordcount(Runtime& /*runtime*/, const Value& input, const Arguments& /*none*/) {
    std::int64_t count = 0;
    bool inWord = false;
    for (const char32_t code : toCodePoints(toStr(input))) {
        const bool isWord = isWordCharacter(code);
        count += isWord && !inWord ? 1 : 0;
        inWord = isWord;
    }
    return Value(count);
}

Result<Value> urlencode(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    std::string out;
    for (const char c : toStr(input)) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain =
            byte < 0x80 && (std::isalnum(byte) != 0 ||
                            std::string_view("_.-~/").find(c) != std::string_view::npos);
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return made(runtime, std::move(out));
}

constexpr NamedFilter kFilters[] = {
    {"abs", absolute},
    {"capitalize", capitalize},
    {"d", defaulted},
    {"default", defaulted},
    {"e", escape},
    {"escape", escape},
    {"float", toFloat},
    {"format", format},
    {"indent", indent},
    {"int", toInteger},
    {"lower", lower},
    {"replace", replace},
    {"round", round},
    {"safe", safe},
    {"string", string},
    {"title", title},
    {"tojson", tojson},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", upper},
    {"urlencode", urlencode},
    {"wordcount", wordcount},
};

}  // namespace

std::span<const NamedFilter> scalarFilters() {
    return kFilters;
}

Result<Value> applyFilter(Runtime& runtime,
                          const std::string& name,
                          const Value& input,
                          const Arguments& arguments) {
    for (const auto table : {scalarFilters(), sequenceFilters()}) {
        for (const NamedFilter& filter : table) {
            if (filter.name == name)
                return filter.function(runtime, input, arguments);
        }
    }
    return Error{ErrorCode::Unsupported, fmt::format("there is no filter '{}'", name)};
}

}  // namespace fl::tokenizer::jinja
