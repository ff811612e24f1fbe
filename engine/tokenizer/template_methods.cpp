// SPDX-License-Identifier: Apache-2.0
// Methods of lists and mappings, and who has which. Lists and mappings may be changed: every value
// is a copy that belongs to this rendering, and some published templates build their lists with
// append.
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"

namespace fl::tokenizer::jinja {

namespace {

constexpr std::string_view kListMethods[] = {"append", "clear",   "copy",   "count",
                                             "extend", "index",   "insert", "pop",
                                             "remove", "reverse", "sort"};
constexpr std::string_view kTupleMethods[] = {"count", "index"};
constexpr std::string_view kDictMethods[] = {"clear", "copy",    "get",        "items",  "keys",
                                             "pop",   "popitem", "setdefault", "update", "values"};
constexpr std::string_view kCyclerMethods[] = {"next", "reset"};
constexpr std::string_view kFloatMethods[] = {"is_integer"};
constexpr std::string_view kIntegerMethods[] = {"bit_length"};
constexpr std::string_view kLoopMethods[] = {"cycle", "changed"};

std::span<const std::string_view> methodsOf(const Value& self) {
    if (self.isString())
        return stringMethods();
    if (const List* list = self.asList()) {
        if (!list->isSequence())
            return {};
        if (list->kind != ListKind::List)
            return kTupleMethods;
        return kListMethods;
    }
    if (const Cycler* cycler = self.asCycler(); cycler != nullptr && !cycler->isJoiner)
        return kCyclerMethods;
    if (self.isFloat())
        return kFloatMethods;
    if (self.isIntegral())
        return kIntegerMethods;
    if (self.asDict() != nullptr)
        return kDictMethods;
    if (self.asLoop() != nullptr)
        return kLoopMethods;
    return {};
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
        FL_TRY(const bool equal, equalsWithin(list.items[i], wanted));
        if (!equal)
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
    if (name == "clear") {
        list.items.clear();
        return Value();
    }
    if (name == "sort") {
        Arguments options;
        options.named.emplace_back("reverse", Value(arguments.flag(99, "reverse", false)));
        options.named.emplace_back("case_sensitive", Value(true));
        FL_TRY(const Value sorted, applyFilter(runtime, "sort", self, options));
        list.items = sorted.asList()->items;
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
        FL_TRY(const std::vector<Value> more, iterate(runtime, item));
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

Result<Value> updateDict(Runtime& runtime, Dict& dict, const Arguments& arguments) {
    if (!arguments.positional.empty()) {
        const Dict* other = arguments.positional[0].asDict();
        if (other == nullptr)
            return typeError("update() needs a mapping");
        const std::vector<std::pair<Value, Value>> items = other->items;
        for (const auto& [key, value] : items) {
            FL_DO(runtime.spend(static_cast<std::int64_t>(dict.items.size())));
            dict.set(key, value);
        }
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
    const ListKind kind = name == "items"  ? ListKind::Items
                          : name == "keys" ? ListKind::Keys
                                           : ListKind::Values;
    return Value(std::make_shared<List>(List{std::move(out), kind}));
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
        return updateDict(runtime, dict, arguments);
    if (name == "clear") {
        dict.items.clear();
        return Value();
    }
    if (name == "popitem") {
        if (dict.items.empty())
            return typeError("KeyError: dictionary is empty");
        const auto last = dict.items.back();
        dict.items.pop_back();
        return Value::tuple({last.first, last.second});
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

Result<Value> cyclerMethod(Cycler& cycler, const std::string& name) {
    if (name == "reset") {
        cycler.next = 0;
        return Value();
    }
    const Value item = cycler.items[cycler.next];
    cycler.next = (cycler.next + 1) % cycler.items.size();
    return item;
}

Value numberMethod(const Value& self) {
    if (self.isFloat())
        return Value(std::floor(self.number()) == self.number());
    const std::int64_t number = self.integer();
    return Value(static_cast<std::int64_t>(
        std::bit_width(number < 0 ? ~static_cast<std::uint64_t>(number) + 1
                                  : static_cast<std::uint64_t>(number))));
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
    if (Cycler* cycler = self.asCycler())
        return cyclerMethod(*cycler, name);
    if (self.isNumber())
        return numberMethod(self);
    return loopMethod(*self.asLoop(), name, arguments);
}

}  // namespace fl::tokenizer::jinja
