// SPDX-License-Identifier: Apache-2.0
// Filters over one value, and who finds them by name.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/unicode.h"

namespace fl::tokenizer::jinja {

namespace {

Result<Value> made(Runtime& runtime, std::string text) {
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
    return Value(std::move(text));
}

// Changed letters of a safe text are a safe text.
Result<Value> likeInput(Runtime& runtime, const Value& input, std::string text) {
    if (!input.isMarkup())
        return made(runtime, std::move(text));
    return Value::markup(std::move(text));
}

Result<Value> upper(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return likeInput(runtime, input, toUpper(toStr(input)));
}

Result<Value> lower(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return likeInput(runtime, input, toLower(toStr(input)));
}

Result<Value> capitalize(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    return likeInput(runtime, input, capitalized(toStr(input)));
}

Result<Value> trim(Runtime& runtime, const Value& input, const Arguments& arguments) {
    Strip how;
    if (const Value* characters = arguments.get(0, "chars"))
        if (characters->isString())
            how.characters = characters->string();
    return likeInput(runtime, input, strip(toStr(input), how));
}

Result<Value> replace(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Value* from = arguments.get(0, "old");
    const Value* to = arguments.get(1, "new");
    if (from == nullptr || to == nullptr)
        return typeError("filter 'replace' needs an old and a new text");
    const Value* limit = arguments.get(2, "count");
    if (limit != nullptr && !limit->isNone() && !limit->isIntegral())
        return typeError("filter 'replace' counts with an integer");
    const std::string text = toStr(input);
    const std::string part = toStr(*from);
    // What can come out is known before it is made.
    const std::string with = toStr(*to);
    const std::int64_t cuts =
        part.empty() ? static_cast<std::int64_t>(text.size()) + 1 : occurrences(text, part);
    FL_DO(runtime.grow(cuts * static_cast<std::int64_t>(with.size())));
    return made(runtime, replaced(text, part, with, arguments.integer(2, "count", -1)));
}

Result<Value> string(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    if (input.isString())
        return input;
    return made(runtime, toStr(input));
}

// Marks text as HTML that needs no escape.
Result<Value> safe(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    FL_TRY(const Value text, made(runtime, toStr(input)));
    return Value::markup(text.string());
}

Result<Value> format(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (!arguments.positional.empty() && !arguments.named.empty())
        return typeError("filter 'format' takes values by place or by name, not both");
    Value values = Value::tuple(arguments.positional);
    if (!arguments.named.empty()) {
        auto dict = std::make_shared<Dict>();
        for (const auto& [key, value] : arguments.named)
            dict->set(Value(key), value);
        values = Value(std::move(dict));
    }
    const Value pattern = input.isString() ? input : Value(toStr(input));
    FL_TRY(std::string text, percentFormat(pattern, values, runtime.limits().outputBytes));
    if (pattern.isMarkup())
        return Value::markup(std::move(text));
    return made(runtime, std::move(text));
}

// The digits of a number in a text, as int() and float() take them: white space around them and
// single low lines between them fall away. Nothing if it is none.
std::optional<std::string> numberDigits(const std::string& text) {
    const std::string given = strip(text, {});
    std::string out;
    for (std::size_t at = 0; at < given.size(); ++at) {
        const auto isDigitAt = [&](std::size_t place) {
            return place < given.size() &&
                   std::isxdigit(static_cast<unsigned char>(given[place])) != 0;
        };
        if (given[at] != '_')
            out += given[at];
        else if (at == 0 || !isDigitAt(at - 1) || !isDigitAt(at + 1))
            return std::nullopt;
    }
    if (!out.empty() && out[0] == '+') {
        out.erase(0, 1);
        if (!out.empty() && (out[0] == '+' || out[0] == '-'))
            return std::nullopt;
    }
    return out.empty() ? std::nullopt : std::optional(out);
}

std::optional<double> floatIn(const std::string& text) {
    const auto digits = numberDigits(text);
    if (!digits)
        return std::nullopt;
    const std::string lower = toLower(*digits);
    double value = 0;
    const char* end = lower.data() + lower.size();
    const auto read = std::from_chars(lower.data(), end, value);
    if (read.ptr != end || read.ec == std::errc::invalid_argument)
        return std::nullopt;
    return value;
}

// int(text, base); base 0 goes by the prefix.
std::optional<std::int64_t> integerIn(const std::string& text, int base) {
    auto digits = numberDigits(text);
    if (!digits)
        return std::nullopt;
    const bool negative = (*digits)[0] == '-';
    std::string body = toLower(digits->substr(negative ? 1 : 0));
    constexpr std::pair<std::string_view, int> kPrefixes[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
    for (const auto& [prefix, meant] : kPrefixes) {
        if (body.substr(0, 2) != prefix || (base != 0 && base != meant))
            continue;
        body.erase(0, 2);
        base = meant;
        break;
    }
    base = base == 0 ? 10 : base;
    std::int64_t value = 0;
    const std::string whole = (negative ? "-" : "") + body;
    const char* end = whole.data() + whole.size();
    const auto read = std::from_chars(whole.data(), end, value, base);
    if (read.ec != std::errc() || read.ptr != end || body.empty() || body[0] == '-')
        return std::nullopt;
    return value;
}

Result<Value> toInteger(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    const Value* given = arguments.get(0, "default");
    const Value fallback = given != nullptr ? *given : Value(0);
    if (input.isUndefined())
        return typeError(input.undefinedMessage());
    if (input.isIntegral())
        return Value(input.integer());
    if (input.isBigInteger())
        return input;
    if (input.isFloat())
        return std::fabs(input.number()) < 9e18 ? Value(static_cast<std::int64_t>(input.number()))
                                                : fallback;
    if (!input.isString())
        return fallback;
    const auto base =
        static_cast<int>(std::clamp<std::int64_t>(arguments.integer(1, "base", 10), -1, 99));
    if (base == 0 || (base >= 2 && base <= 36)) {
        if (const auto value = integerIn(input.string(), base))
            return Value(*value);
    }
    if (const auto fraction = floatIn(input.string()); fraction && std::fabs(*fraction) < 9e18)
        return Value(static_cast<std::int64_t>(*fraction));
    return fallback;
}

Result<Value> toFloat(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    const Value* given = arguments.get(0, "default");
    if (input.isUndefined())
        return typeError(input.undefinedMessage());
    if (input.isNumber())
        return Value(input.number());
    if (input.isString()) {
        if (const auto value = floatIn(input.string()))
            return Value(*value);
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

// Python's round(): to the nearest by the number's exact value, halves to even.
double roundedTo(double number, int precision) {
    if (!std::isfinite(number))
        return number;
    if (precision >= 0) {
        const std::string text = fmt::format("{:.{}f}", number, std::min(precision, 340));
        return std::strtod(text.c_str(), nullptr);
    }
    const double scale = std::pow(10.0, -precision);
    return std::nearbyint(number / scale) * scale;
}

Result<Value> round(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    if (!input.isNumber())
        return typeError(fmt::format("filter 'round' needs a number, not {}", input.typeName()));
    const auto precision =
        static_cast<int>(std::clamp<std::int64_t>(arguments.integer(0, "precision", 0), -300, 300));
    const std::string method = arguments.text(1, "method", "common");
    if (method != "common" && method != "ceil" && method != "floor")
        return typeError("method must be common, ceil or floor");
    const double scale = std::pow(10.0, static_cast<double>(precision));
    if (method != "common") {
        const double scaled = input.number() * scale;
        return Value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
    }
    if (input.isFloat())
        return Value(roundedTo(input.number(), precision));
    if (precision >= 0 || input.isBigInteger())
        return input.isBool() ? Value(input.integer()) : input;
    return Value(static_cast<std::int64_t>(roundedTo(input.number(), precision)));
}

Result<Value> filesizeformat(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const Value number, input.isNumber() || input.isString()
                                   ? toFloat(runtime, input, {})
                                   : Result<Value>(typeError("filesizeformat needs a number")));
    const bool binary = arguments.flag(0, "binary", false);
    const double base = binary ? 1024 : 1000;
    const double bytes = number.number();
    if (bytes == 1)
        return Value("1 Byte");
    if (bytes < base)
        return Value(fmt::format("{:.0f} Bytes", std::trunc(bytes)));
    constexpr std::string_view kLetters = "kMGTPEZY";
    double unit = base;
    std::size_t at = 0;
    while (at + 1 < kLetters.size() && bytes >= unit * base) {
        unit *= base;
        ++at;
    }
    const std::string letter =
        binary ? std::string(1, static_cast<char>(std::toupper(kLetters[at]))) + "i"
               : std::string(1, kLetters[at]);
    return Value(fmt::format("{:.1f} {}B", bytes / unit, letter));
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

// Mappings by their keys, as pprint has them.
Value keysSorted(const Value& value, int depth) {
    if (depth > kMaxNesting)
        return value;
    if (const List* list = value.asList()) {
        auto out = std::make_shared<List>(List{{}, list->kind});
        for (const Value& item : list->items)
            out->items.push_back(keysSorted(item, depth + 1));
        return Value(std::move(out));
    }
    const Dict* dict = value.asDict();
    if (dict == nullptr)
        return value;
    auto out = std::make_shared<Dict>();
    for (const auto& [key, item] : dict->items)
        out->items.emplace_back(key, keysSorted(item, depth + 1));
    std::stable_sort(out->items.begin(), out->items.end(),
                     [](const auto& a, const auto& b) { return toStr(a.first) < toStr(b.first); });
    return Value(std::move(out));
}

// What is longer than a line pprint breaks by rules of its own.
Result<Value> pprint(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    constexpr std::size_t kLine = 80;
    if (toRepr(input).size() > kLine)
        return Error{ErrorCode::Unsupported, "filter 'pprint' only prints what fits into a line"};
    return made(runtime, toRepr(keysSorted(input, 0)));
}

constexpr NamedFilter kFilters[] = {
    {"abs", absolute},
    {"capitalize", capitalize},
    {"d", defaulted, "default_value,boolean"},
    {"default", defaulted, "default_value,boolean"},
    {"filesizeformat", filesizeformat, "binary"},
    {"float", toFloat, "default"},
    {"format", format, "*"},
    {"int", toInteger, "default,base"},
    {"lower", lower},
    {"pprint", pprint},
    {"replace", replace, "old,new,count"},
    {"round", round, "precision,method"},
    {"safe", safe},
    {"string", string},
    {"tojson", tojson, "ensure_ascii,indent,separators,sort_keys"},
    {"trim", trim, "chars"},
    {"upper", upper},
};

// Python would refuse them: too many by place, or a name that there is not.
Status checkArguments(const NamedFilter& filter, const Arguments& arguments) {
    if (filter.parameters == "*")
        return Done{};
    const auto names =
        filter.parameters.empty() ? std::vector<Value>() : splitAt(filter.parameters, ",", -1);
    if (arguments.positional.size() > names.size())
        return typeError(fmt::format("filter '{}' takes {} argument(s), not {}", filter.name,
                                     names.size(), arguments.positional.size()));
    for (const auto& [name, value] : arguments.named) {
        const auto place =
            std::find_if(names.begin(), names.end(),
                         [&wanted = name](const Value& known) { return known.string() == wanted; });
        if (place == names.end() ||
            place - names.begin() < static_cast<std::ptrdiff_t>(arguments.positional.size()))
            return typeError(
                fmt::format("filter '{}' got an unexpected argument '{}'", filter.name, name));
    }
    return Done{};
}

bool isBudget(ErrorCode code) {
    return code == ErrorCode::Timeout || code == ErrorCode::OutOfMemory ||
           code == ErrorCode::Cancelled;
}

const NamedFilter* findFilter(std::string_view name) {
    for (const auto table : {scalarFilters(), textFilters(), htmlFilters(), sequenceFilters()}) {
        for (const NamedFilter& filter : table) {
            if (filter.name == name)
                return &filter;
        }
    }
    return nullptr;
}

}  // namespace

std::span<const NamedFilter> scalarFilters() {
    return kFilters;
}

bool isFilter(const std::string& name) {
    return findFilter(name) != nullptr;
}

Result<Value> applyFilter(Runtime& runtime,
                          const std::string& name,
                          const Value& input,
                          const Arguments& arguments) {
    const NamedFilter* filter = findFilter(name);
    if (filter == nullptr)
        return Error{ErrorCode::Unsupported, fmt::format("there is no filter '{}'", name)};
    const Status fits = checkArguments(*filter, arguments);
    auto made = fits ? filter->function(runtime, input, arguments) : Result<Value>(fits.error());
    if (made || !filter->isLazy || isBudget(made.error().code))
        return made;
    // A generator fails when it is gone through, if ever.
    auto failing = std::make_shared<List>(List{{}, ListKind::Generator});
    failing->failure = std::make_shared<const Error>(made.error());
    return Value(std::move(failing));
}

}  // namespace fl::tokenizer::jinja
