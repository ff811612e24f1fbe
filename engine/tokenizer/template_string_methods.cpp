// SPDX-License-Identifier: Apache-2.0
// Methods of strings, as Python has them.
#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

constexpr std::string_view kStringMethods[] = {
    "capitalize",  "casefold",   "center",     "count",        "endswith",     "expandtabs",
    "find",        "format",     "format_map", "index",        "isalnum",      "isalpha",
    "isascii",     "isdecimal",  "isdigit",    "isidentifier", "islower",      "isnumeric",
    "isprintable", "isspace",    "istitle",    "isupper",      "join",         "ljust",
    "lower",       "lstrip",     "partition",  "removeprefix", "removesuffix", "replace",
    "rfind",       "rindex",     "rjust",      "rpartition",   "rsplit",       "rstrip",
    "split",       "splitlines", "startswith", "strip",        "swapcase",     "title",
    "upper",       "zfill"};

// What find(), count() and the like look into: self[start:end], and where it begins.
struct Part {
    std::string text;
    std::int64_t begin = 0;
    bool isBeyond = false;  // the start lies behind the end: not even "" is found
};

Result<Part> partOf(const std::string& self, const Arguments& arguments) {
    const Value* start = arguments.get(1, "");
    const Value* end = arguments.get(2, "");
    if (start == nullptr && end == nullptr)
        return Part{self};
    const auto bound = [](const Value* given) -> Result<std::optional<std::int64_t>> {
        if (given == nullptr || given->isNone())
            return std::optional<std::int64_t>();
        if (!given->isIntegral())
            return typeError("slice indices must be integers or None");
        return std::optional<std::int64_t>(given->integer());
    };
    FL_TRY(const auto from, bound(start));
    FL_TRY(const auto to, bound(end));
    const std::u32string codes = toCodePoints(self);
    const auto size = static_cast<std::int64_t>(codes.size());
    const SliceRange range = clampSlice(from, to, 1, size);
    Part part;
    part.begin = range.begin;
    part.isBeyond = range.begin > range.end || (from && *from > size);
    if (range.begin < range.end)
        part.text = fromCodePoints(
            std::u32string_view(codes).substr(static_cast<std::size_t>(range.begin),
                                              static_cast<std::size_t>(range.end - range.begin)));
    return part;
}

// The texts that startswith() and endswith() try: one, or a tuple of them.
std::vector<Value> alternatives(const Arguments& arguments) {
    if (arguments.positional.empty())
        return {};
    const List* tuple = arguments.positional[0].asList();
    return tuple != nullptr ? tuple->items : std::vector<Value>{arguments.positional[0]};
}

Result<Value> affix(const std::string& whole, const std::string& name, const Arguments& arguments) {
    FL_TRY(const Part within, partOf(whole, arguments));
    const std::string& self = within.text;
    for (const Value& part : alternatives(arguments)) {
        if (!part.isString())
            return typeError(fmt::format("{} first arg must be str or a tuple of str, not {}", name,
                                         part.typeName()));
        const std::string& text = part.string();
        if (text.size() > self.size() || within.isBeyond)
            continue;
        const std::size_t at = name == "startswith" ? 0 : self.size() - text.size();
        if (self.compare(at, text.size(), text) == 0)
            return Value(true);
    }
    return Value(false);
}

Result<Value> splitText(Runtime& runtime,
                        const std::string& self,
                        const std::string& name,
                        const Arguments& arguments) {
    const Value* separator = arguments.get(0, "sep");
    // Each part is a value of its own; what matters is how many there can be.
    constexpr std::int64_t kPartBytes = 80;
    const bool bySeparator =
        separator != nullptr && separator->isString() && !separator->string().empty();
    FL_DO(
        runtime.grow(kPartBytes * (bySeparator ? occurrences(self, separator->string()) + 1
                                               : static_cast<std::int64_t>(self.size()) / 8 + 1)));
    const std::int64_t limit = arguments.integer(1, "maxsplit", -1);
    if (separator == nullptr || separator->isNone())
        return Value::list(name == "split" ? splitSpaces(self, limit) : rsplitSpaces(self, limit));
    if (!separator->isString())
        return typeError(fmt::format("must be str or None, not {}", separator->typeName()));
    if (separator->string().empty())
        return typeError("empty separator");
    return Value::list(name == "split" ? splitAt(self, separator->string(), limit)
                                       : rsplitAt(self, separator->string(), limit));
}

Result<Value> stripText(const std::string& self,
                        const std::string& name,
                        const Arguments& arguments) {
    Strip how{name != "rstrip", name != "lstrip", std::nullopt};
    if (!arguments.positional.empty() && !arguments.positional[0].isNone()) {
        if (!arguments.positional[0].isString())
            return typeError(fmt::format("{} arg must be None or str", name));
        how.characters = arguments.positional[0].string();
    }
    return Value(strip(self, how));
}

// find, rfind, index, rindex, count and the partitions, which all look for one text.
Result<Value> searchText(const std::string& self,
                         const std::string& name,
                         const Arguments& arguments) {
    if (arguments.positional.empty() || !arguments.positional[0].isString())
        return typeError(fmt::format("{}() needs a str", name));
    const std::string& text = arguments.positional[0].string();
    const bool fromRight = name[0] == 'r';
    if (name == "partition" || name == "rpartition") {
        if (text.empty())
            return typeError("empty separator");
        const std::size_t at = fromRight ? self.rfind(text) : self.find(text);
        if (at == std::string::npos)
            return fromRight ? Value::tuple({"", "", self}) : Value::tuple({self, "", ""});
        return Value::tuple({self.substr(0, at), text, self.substr(at + text.size())});
    }
    FL_TRY(const Part part, partOf(self, arguments));
    if (name == "count") {
        if (part.isBeyond)
            return Value(0);
        return Value(text.empty() ? countCodePoints(part.text) + 1 : occurrences(part.text, text));
    }
    const std::size_t at = part.isBeyond ? std::string::npos
                           : fromRight   ? part.text.rfind(text)
                                         : part.text.find(text);
    if (at == std::string::npos)
        return name == "index" || name == "rindex" ? Result<Value>(typeError("substring not found"))
                                                   : Value(-1);
    return Value(part.begin + countCodePoints(std::string_view(part.text).substr(0, at)));
}

Result<Value> joinTexts(Runtime& runtime, const std::string& self, const Arguments& arguments) {
    if (arguments.positional.empty())
        return typeError("join() needs an iterable");
    FL_TRY(const std::vector<Value> items, iterate(runtime, arguments.positional[0]));
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].isString())
            return typeError(fmt::format("sequence item {}: expected str instance, {} found", i,
                                         items[i].typeName()));
        out += i == 0 ? "" : self;
        out += items[i].string();
        if (static_cast<std::int64_t>(out.size()) > runtime.limits().outputBytes)
            break;
    }
    FL_DO(runtime.grow(static_cast<std::int64_t>(out.size())));
    return Value(std::move(out));
}

bool isIdentifier(const std::u32string& codes) {
    return !codes.empty() && !isNumeric(codes[0]) &&
           std::all_of(codes.begin(), codes.end(), [](char32_t code) {
               return code == U'_' || isLetter(code) || isDigit(code);
           });
}

// "Ab Cd": upper case begins words, and stands nowhere else.
bool isTitle(const std::u32string& codes) {
    bool inWord = false;
    bool found = false;
    for (const char32_t code : codes) {
        if ((isUpper(code) && inWord) || (isLower(code) && !inWord))
            return false;
        inWord = isUpper(code) || isLower(code);
        found = found || inWord;
    }
    return found;
}

// isalpha() and the like: true if there is a character and all are of the kind.
Value allAre(const std::string& self, const std::string& name) {
    const std::u32string codes = toCodePoints(self);
    if (name == "isidentifier")
        return Value(isIdentifier(codes));
    if (name == "istitle")
        return Value(isTitle(codes));
    const auto matches = [&name](char32_t code) {
        if (name == "isspace")
            return isPythonSpace(code);
        if (name == "isascii")
            return code < 0x80;
        if (name == "isprintable")
            return isPrintable(code);
        if (name == "isdecimal")
            return isDigit(code);
        if (name == "isdigit")
            return isDigit(code) || isSuperDigit(code);
        if (name == "isnumeric")
            return isNumeric(code);
        return isLetter(code) || (name == "isalnum" && isNumeric(code));
    };
    const bool all = std::all_of(codes.begin(), codes.end(), matches);
    return Value(all && (!codes.empty() || name == "isascii" || name == "isprintable"));
}

// center(), ljust(), rjust()
Result<Value> justified(Runtime& runtime,
                        const std::string& self,
                        const std::string& name,
                        const Arguments& arguments) {
    const std::string fill = arguments.text(1, "", " ");
    if (countCodePoints(fill) != 1)
        return typeError("the fill character must be exactly one character long");
    const std::int64_t width = arguments.integer(0, "", 0);
    const std::int64_t missing = width - countCodePoints(self);
    if (missing <= 0)
        return Value(self);
    FL_DO(runtime.growBy(missing, static_cast<std::int64_t>(fill.size())));
    // As CPython: an odd rest goes left where the width is odd.
    const std::int64_t left = name == "ljust"   ? 0
                              : name == "rjust" ? missing
                                                : missing / 2 + (missing & width & 1);
    std::string out;
    for (std::int64_t i = 0; i < left; ++i)
        out += fill;
    out += self;
    for (std::int64_t i = left; i < missing; ++i)
        out += fill;
    return Value(std::move(out));
}

Result<Value> expandTabs(Runtime& runtime, const std::string& self, const Arguments& arguments) {
    const std::int64_t size = std::clamp<std::int64_t>(arguments.integer(0, "tabsize", 8), 0, 1000);
    FL_DO(runtime.grow(static_cast<std::int64_t>(self.size()) +
                       occurrences(self, "\t") * std::max<std::int64_t>(size, 1)));
    std::string out;
    std::int64_t column = 0;
    for (const char32_t code : toCodePoints(self)) {
        if (code == U'\t') {
            const std::int64_t spaces = size == 0 ? 0 : size - column % size;
            out.append(static_cast<std::size_t>(spaces), ' ');
            column += spaces;
            continue;
        }
        appendUtf8(out, code);
        column = code == U'\n' || code == U'\r' ? 0 : column + 1;
    }
    return Value(std::move(out));
}

std::string swapCase(const std::string& self) {
    std::string out;
    for (const char32_t code : toCodePoints(self)) {
        std::string one;
        appendUtf8(one, code);
        out += isUpper(code) ? toLower(one) : toUpper(one);
    }
    return out;
}

Result<Value> cutAffix(const std::string& self,
                       const std::string& name,
                       const Arguments& arguments) {
    FL_TRY(const Value found,
           affix(self, name == "removeprefix" ? "startswith" : "endswith", arguments));
    if (!found.truthy())
        return Value(self);
    const std::size_t size = arguments.text(0, "", "").size();
    return Value(name == "removeprefix" ? self.substr(size) : self.substr(0, self.size() - size));
}

Result<Value> replaceText(Runtime& runtime, const std::string& self, const Arguments& arguments) {
    const Value* from = arguments.get(0, "old");
    const Value* to = arguments.get(1, "new");
    if (from == nullptr || to == nullptr || !from->isString() || !to->isString())
        return typeError("replace() needs two texts");
    // What can come out is known before it is made.
    const auto cuts = from->string().empty() ? static_cast<std::int64_t>(self.size()) + 1
                                             : occurrences(self, from->string());
    FL_DO(runtime.growBy(cuts, static_cast<std::int64_t>(to->string().size())));
    return Value(replaced(self, from->string(), to->string(), arguments.integer(2, "count", -1)));
}

Result<Value> zeroFilled(Runtime& runtime, const std::string& self, const Arguments& arguments) {
    const std::int64_t missing = arguments.integer(0, "width", 0) - countCodePoints(self);
    if (missing <= 0)
        return Value(self);
    FL_DO(runtime.grow(missing));
    const std::size_t sign = !self.empty() && (self[0] == '-' || self[0] == '+') ? 1 : 0;
    return Value(std::string(self).insert(sign, static_cast<std::size_t>(missing), '0'));
}

Result<Value> formatText(Runtime& runtime,
                         const Value& self,
                         const std::string& name,
                         const Arguments& arguments) {
    Arguments given = arguments;
    if (name == "format_map") {
        const Dict* dict =
            arguments.positional.empty() ? nullptr : arguments.positional[0].asDict();
        if (dict == nullptr)
            return typeError("format_map() needs a mapping");
        given.positional.clear();
        for (const auto& [key, value] : dict->items)
            given.named.emplace_back(toStr(key), value);
    }
    FL_TRY(std::string text, braceFormat(self, given, runtime.limits().outputBytes));
    FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
    return Value(std::move(text));
}

// Methods that only change the letters.
std::optional<std::string> recased(const std::string& self, const std::string& name) {
    if (name == "upper")
        return toUpper(self);
    if (name == "lower")
        return toLower(self);
    if (name == "casefold")
        return caseFolded(self);
    if (name == "title")
        return titled(self);
    if (name == "capitalize")
        return capitalized(self);
    if (name == "swapcase")
        return swapCase(self);
    return std::nullopt;
}

Result<Value> plainMethod(Runtime& runtime,
                          const Value& value,
                          const std::string& name,
                          const Arguments& arguments) {
    const std::string& self = value.string();
    if (auto text = recased(self, name))
        return Value(*std::move(text));
    if (name == "strip" || name == "lstrip" || name == "rstrip")
        return stripText(self, name, arguments);
    if (name == "split" || name == "rsplit")
        return splitText(runtime, self, name, arguments);
    if (name == "startswith" || name == "endswith")
        return affix(self, name, arguments);
    if (name == "removeprefix" || name == "removesuffix")
        return cutAffix(self, name, arguments);
    if (name == "replace")
        return replaceText(runtime, self, arguments);
    if (name == "join")
        return joinTexts(runtime, self, arguments);
    if (name == "format" || name == "format_map")
        return formatText(runtime, value, name, arguments);
    if (name == "splitlines") {
        FL_DO(runtime.grow(static_cast<std::int64_t>(self.size()) * 8));
        return Value::list(splitLines(self, arguments.flag(0, "keepends", false)));
    }
    if (name == "islower" || name == "isupper") {
        FL_TRY(const bool holds, applyTest(runtime, name.substr(2), value, {}));
        return Value(holds);
    }
    if (name.substr(0, 2) == "is")
        return allAre(self, name);
    if (name == "center" || name == "ljust" || name == "rjust")
        return justified(runtime, self, name, arguments);
    if (name == "expandtabs")
        return expandTabs(runtime, self, arguments);
    if (name == "zfill")
        return zeroFilled(runtime, self, arguments);
    return searchText(self, name, arguments);
}

// What a text marked as safe gives is safe as well: whatever is put into it was escaped.
Value marked(const Value& value) {
    if (value.isString())
        return Value::markup(value.string());
    const List* list = value.asList();
    if (list == nullptr)
        return value;
    auto out = std::make_shared<List>(List{{}, list->kind});
    for (const Value& item : list->items)
        out->items.push_back(marked(item));
    return Value(std::move(out));
}

}  // namespace

std::span<const std::string_view> stringMethods() {
    return kStringMethods;
}

Result<Value> stringMethod(Runtime& runtime,
                           const Value& self,
                           const std::string& name,
                           const Arguments& arguments) {
    FL_DO(runtime.spend(static_cast<std::int64_t>(self.string().size())));
    if (!self.isMarkup())
        return plainMethod(runtime, self, name, arguments);
    Arguments safe = arguments;
    if (name == "join" && !arguments.positional.empty()) {
        FL_TRY(const std::vector<Value> items, iterate(runtime, arguments.positional[0]));
        std::vector<Value> texts;
        for (const Value& item : items)
            texts.emplace_back(escaped(item));
        safe.positional[0] = Value::list(std::move(texts));
    }
    if (name == "replace" && arguments.positional.size() > 1 && arguments.positional[1].isString())
        safe.positional[1] = Value(escaped(arguments.positional[1]));
    FL_TRY(const Value made, plainMethod(runtime, self, name, safe));
    return marked(made);
}

}  // namespace fl::tokenizer::jinja
