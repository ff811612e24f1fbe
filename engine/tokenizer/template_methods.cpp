// SPDX-License-Identifier: Apache-2.0
// Methods of strings, lists and mappings. Lists and mappings may be changed: every value is a copy
// that belongs to this rendering, and some published templates build their lists with append.
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
    "capitalize", "count",        "endswith",    "find",    "format",     "index",  "isalnum",
    "isalpha",    "isdigit",      "islower",     "isspace", "isupper",    "join",   "lower",
    "lstrip",     "partition",    "replace",     "rfind",   "rpartition", "rsplit", "rstrip",
    "split",      "splitlines",   "startswith",  "strip",   "swapcase",   "title",  "upper",
    "zfill",      "removeprefix", "removesuffix"};
constexpr std::string_view kListMethods[] = {"append", "copy", "count",  "extend", "index",
                                             "insert", "pop",  "remove", "reverse"};
constexpr std::string_view kTupleMethods[] = {"count", "index"};
constexpr std::string_view kDictMethods[] = {"copy",       "get",    "items",  "keys", "pop",
                                             "setdefault", "update", "values", "clear"};
constexpr std::string_view kLoopMethods[] = {"cycle", "changed"};

std::span<const std::string_view> methodsOf(const Value& self) {
    if (self.isString())
        return kStringMethods;
    if (const List* list = self.asList()) {
        if (list->isTuple)
            return kTupleMethods;
        return kListMethods;
    }
    if (self.asDict() != nullptr)
        return kDictMethods;
    if (self.asLoop() != nullptr)
        return kLoopMethods;
    return {};
}

// The texts that startswith() and endswith() try: one, or a tuple of them.
std::vector<Value> alternatives(const Arguments& arguments) {
    if (arguments.positional.empty())
        return {};
    const List* tuple = arguments.positional[0].asList();
    return tuple != nullptr ? tuple->items : std::vector<Value>{arguments.positional[0]};
}

Result<Value> affix(const std::string& self, const std::string& name, const Arguments& arguments) {
    for (const Value& part : alternatives(arguments)) {
        if (!part.isString())
            return typeError(fmt::format("{} first arg must be str or a tuple of str, not {}", name,
                                         part.typeName()));
        const std::string& text = part.string();
        if (text.size() > self.size())
            continue;
        const std::size_t at = name == "startswith" ? 0 : self.size() - text.size();
        if (self.compare(at, text.size(), text) == 0)
            return Value(true);
    }
    return Value(false);
}

Result<Value> splitText(const std::string& self,
                        const std::string& name,
                        const Arguments& arguments) {
    const Value* separator = arguments.get(0, "sep");
    const std::int64_t limit = arguments.integer(1, "maxsplit", -1);
    if (separator == nullptr || separator->isNone())
        return Value::list(splitSpaces(self, limit));
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

// find, rfind, index, count and the partitions, which all look for one text.
Result<Value> searchText(const std::string& self,
                         const std::string& name,
                         const Arguments& arguments) {
    if (arguments.positional.empty() || !arguments.positional[0].isString())
        return typeError(fmt::format("{}() needs a str", name));
    const std::string& text = arguments.positional[0].string();
    if (name == "count") {
        if (text.empty())
            return Value(countCodePoints(self) + 1);
        return Value(static_cast<std::int64_t>(splitAt(self, text, -1).size()) - 1);
    }
    const bool fromRight = name[0] == 'r';
    const std::size_t at = fromRight ? self.rfind(text) : self.find(text);
    if (name == "partition" || name == "rpartition") {
        if (at == std::string::npos)
            return fromRight ? Value::tuple({"", "", self}) : Value::tuple({self, "", ""});
        return Value::tuple({self.substr(0, at), text, self.substr(at + text.size())});
    }
    if (at == std::string::npos)
        return name == "index" ? Result<Value>(typeError("substring not found")) : Value(-1);
    return Value(countCodePoints(std::string_view(self).substr(0, at)));
}

Result<Value> joinTexts(Runtime& runtime, const std::string& self, const Arguments& arguments) {
    if (arguments.positional.empty())
        return typeError("join() needs an iterable");
    FL_TRY(const std::vector<Value> items, iterate(arguments.positional[0]));
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

// isalpha() and the like: true if there is a character and all are of the kind.
Value allAre(const std::string& self, const std::string& name) {
    const std::u32string codes = toCodePoints(self);
    const auto matches = [&name](char32_t code) {
        if (name == "isspace")
            return isPythonSpace(code);
        return (name != "isalpha" && isDigit(code)) || (name != "isdigit" && isLetter(code));
    };
    return Value(!codes.empty() && std::all_of(codes.begin(), codes.end(), matches));
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
    const auto cuts = static_cast<std::int64_t>(
        from->string().empty() ? self.size() + 1 : splitAt(self, from->string(), -1).size());
    FL_DO(runtime.grow(cuts * static_cast<std::int64_t>(to->string().size())));
    return Value(replaced(self, from->string(), to->string(), arguments.integer(2, "count", -1)));
}

Result<Value> stringMethod(Runtime& runtime,
                           const Value& value,
                           const std::string& name,
                           const Arguments& arguments) {
    const std::string& self = value.string();
    FL_DO(runtime.spend(static_cast<std::int64_t>(self.size())));
    if (name == "strip" || name == "lstrip" || name == "rstrip")
        return stripText(self, name, arguments);
    if (name == "split" || name == "rsplit")
        return splitText(self, name, arguments);
    if (name == "startswith" || name == "endswith")
        return affix(self, name, arguments);
    if (name == "removeprefix" || name == "removesuffix")
        return cutAffix(self, name, arguments);
    if (name == "replace")
        return replaceText(runtime, self, arguments);
    if (name == "join")
        return joinTexts(runtime, self, arguments);
    if (name == "format") {
        FL_TRY(std::string text, braceFormat(self, arguments.positional, arguments.named));
        FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
        return Value(std::move(text));
    }
    if (name == "upper")
        return Value(toUpper(self));
    if (name == "lower")
        return Value(toLower(self));
    if (name == "title")
        return Value(titled(self));
    if (name == "capitalize")
        return Value(capitalized(self));
    if (name == "swapcase")
        return Value(swapCase(self));
    if (name == "splitlines")
        return Value::list(splitLines(self, arguments.flag(0, "keepends", false)));
    if (name == "islower" || name == "isupper") {
        FL_TRY(const bool holds, applyTest(runtime, name.substr(2), value, {}));
        return Value(holds);
    }
    if (name == "isalnum" || name == "isalpha" || name == "isdigit" || name == "isspace")
        return allAre(self, name);
    if (name == "zfill") {
        const std::int64_t missing = arguments.integer(0, "width", 0) - countCodePoints(self);
        FL_DO(runtime.grow(missing));
        const std::size_t sign = !self.empty() && (self[0] == '-' || self[0] == '+') ? 1 : 0;
        return Value(missing <= 0
                         ? self
                         : std::string(self).insert(sign, static_cast<std::size_t>(missing), '0'));
    }
    return searchText(self, name, arguments);
}

Result<Value> popItem(List& list, const Arguments& arguments) {
    const auto size = static_cast<std::int64_t>(list.items.size());
    std::int64_t at = arguments.integer(0, "", -1);
    at += at < 0 ? size : 0;
    if (at < 0 || at >= size)
        return typeError(size == 0 ? "pop from empty list" : "pop index out of range");
    Value taken = list.items[static_cast<std::size_t>(at)];
    list.items.erase(list.items.begin() + at);
    return taken;
}

Result<Value> positionIn(const List& list, const std::string& name, const Value& wanted) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        if (!equals(list.items[i], wanted))
            continue;
        if (name == "index")
            return Value(static_cast<std::int64_t>(i));
        ++count;
    }
    if (name == "index")
        return typeError(toRepr(wanted) + " is not in list");
    return Value(count);
}

Result<Value> listMethod(Runtime& runtime,
                         const Value& self,
                         const std::string& name,
                         const Arguments& arguments) {
    List& list = *self.asList();
    FL_DO(runtime.grow(static_cast<std::int64_t>(list.items.size() * sizeof(Value))));
    if (name == "copy")
        return Value::list(list.items);
    if (name == "reverse") {
        std::reverse(list.items.begin(), list.items.end());
        return Value();
    }
    if (name == "pop")
        return popItem(list, arguments);
    const std::size_t needed = name == "insert" ? 2 : 1;
    if (arguments.positional.size() != needed)
        return typeError(fmt::format("{}() takes {} argument(s)", name, needed));
    const Value& item = arguments.positional.back();
    if (name == "count" || name == "index")
        return positionIn(list, name, item);
    runtime.keep(self);
    if (name == "append") {
        list.items.push_back(item);
    } else if (name == "extend") {
        FL_TRY(const std::vector<Value> more, iterate(item));
        FL_DO(runtime.grow(
            static_cast<std::int64_t>((list.items.size() + more.size()) * sizeof(Value))));
        list.items.insert(list.items.end(), more.begin(), more.end());
    } else if (name == "insert") {
        const auto size = static_cast<std::int64_t>(list.items.size());
        std::int64_t at = arguments.integer(0, "", 0);
        at = std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size);
        list.items.insert(list.items.begin() + at, item);
    } else {
        FL_TRY(const Value at, positionIn(list, "index", item));
        list.items.erase(list.items.begin() + at.integer());
    }
    return Value();
}

Result<Value> updateDict(Dict& dict, const Arguments& arguments) {
    if (!arguments.positional.empty()) {
        const Dict* other = arguments.positional[0].asDict();
        if (other == nullptr)
            return typeError("update() needs a mapping");
        const std::vector<std::pair<Value, Value>> items = other->items;
        for (const auto& [key, value] : items)
            dict.set(key, value);
    }
    for (const auto& [key, value] : arguments.named)
        dict.set(Value(key), value);
    return Value();
}

Result<Value> dictView(const Dict& dict, const std::string& name) {
    std::vector<Value> out;
    for (const auto& [key, value] : dict.items) {
        if (name == "items")
            out.push_back(Value::tuple({key, value}));
        else
            out.push_back(name == "keys" ? key : value);
    }
    return Value::list(std::move(out));
}

Result<Value> dictMethod(Runtime& runtime,
                         const Value& self,
                         const std::string& name,
                         const Arguments& arguments) {
    Dict& dict = *self.asDict();
    FL_DO(runtime.spend(static_cast<std::int64_t>(dict.items.size())));
    if (name == "items" || name == "keys" || name == "values")
        return dictView(dict, name);
    if (name == "copy")
        return Value(std::make_shared<Dict>(dict));
    if (name == "update" || name == "setdefault")
        runtime.keep(self);
    if (name == "update")
        return updateDict(dict, arguments);
    if (name == "clear") {
        dict.items.clear();
        return Value();
    }
    if (arguments.positional.empty())
        return typeError(fmt::format("{}() needs a key", name));
    const Value& key = arguments.positional[0];
    const Value* fallback = arguments.get(1, "default");
    if (const Value* found = dict.find(key)) {
        const Value value = *found;
        if (name == "pop")
            std::erase_if(dict.items, [&](const auto& item) { return equals(item.first, key); });
        return value;
    }
    if (name == "pop" && fallback == nullptr)
        return typeError("KeyError: " + toRepr(key));
    const Value value = fallback != nullptr ? *fallback : Value();
    if (name == "setdefault")
        dict.set(key, value);
    return value;
}

Result<Value> loopMethod(Loop& loop, const std::string& name, const Arguments& arguments) {
    if (name == "cycle") {
        if (arguments.positional.empty())
            return typeError("no items for cycling given");
        return arguments.positional[loop.index % arguments.positional.size()];
    }
    Value now = Value::tuple(arguments.positional);
    const bool changed = !loop.lastChecked || !equals(*loop.lastChecked, now);
    loop.lastChecked = std::move(now);
    return Value(changed);
}

}  // namespace

bool hasMethod(const Value& self, std::string_view name) {
    const auto methods = methodsOf(self);
    return std::find(methods.begin(), methods.end(), name) != methods.end();
}

Result<Value> callMethod(Runtime& runtime,
                         const Value& self,
                         const std::string& name,
                         const Arguments& arguments) {
    FL_DO(runtime.spend());
    if (self.isString())
        return stringMethod(runtime, self, name, arguments);
    if (self.asList() != nullptr)
        return listMethod(runtime, self, name, arguments);
    if (self.asDict() != nullptr)
        return dictMethod(runtime, self, name, arguments);
    return loopMethod(*self.asLoop(), name, arguments);
}

}  // namespace fl::tokenizer::jinja
