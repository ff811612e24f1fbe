// SPDX-License-Identifier: Apache-2.0
// Filters over sequences and mappings.
#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/unicode.h"

namespace fl::tokenizer::jinja {

namespace {

Result<std::vector<Value>> itemsOf(Runtime& runtime, const Value& input) {
    return iterate(runtime, input);
}

// What filters yield that are generators in Python.
Value yielded(std::vector<Value> items) {
    return Value(std::make_shared<List>(List{std::move(items), ListKind::Generator}));
}

// "a.b.0" looked up step by step, as Jinja's make_attrgetter.
Result<Value> attributePath(const Value& item, const Value& path) {
    if (!path.isString())
        return itemOf(item, path);
    Value value = item;
    for (const Value& part : splitAt(path.string(), ".", -1)) {
        const std::string& name = part.string();
        const bool isIndex = !name.empty() &&
                             name.find_first_not_of("0123456789") == std::string::npos &&
                             name.size() < 10;
        FL_TRY(value, itemOf(value, isIndex ? Value(std::int64_t{std::stol(name)}) : part));
    }
    return value;
}

Value folded(const Value& value) {
    return value.isString() ? Value(toLower(value.string())) : value;
}

// What a comparison of two values looks at, roughly.
std::int64_t comparedBytes(const Value& left, const Value& right) {
    const auto bytes = [](const Value& value) {
        if (value.isString())
            return static_cast<std::int64_t>(value.string().size());
        return value.asList() != nullptr
                   ? static_cast<std::int64_t>(value.asList()->items.size() * 64)
                   : std::int64_t{0};
    };
    return std::min(bytes(left), bytes(right));
}

// Sorts stably by `keys`, which go with `items`; the first comparison that fails is the error.
Result<std::vector<Value>> sortedBy(Runtime& runtime,
                                    std::vector<Value> items,
                                    const std::vector<Value>& keys,
                                    bool reverse) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    Status problem = Done{};
    // A comparison that fails counts as "equal": a merge sort stays in bounds all the same.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (!problem)
            return false;
        if (const Status cost = runtime.spend(comparedBytes(keys[a], keys[b])); !cost) {
            problem = cost;
            return false;
        }
        const auto less = reverse ? lessThan(keys[b], keys[a]) : lessThan(keys[a], keys[b]);
        if (!less)
            problem = less.error();
        return less ? *less : false;
    });
    FL_DO(problem);
    std::vector<Value> sorted;
    sorted.reserve(items.size());
    for (const std::size_t index : order)
        sorted.push_back(items[index]);
    return sorted;
}

Result<Value> length(Runtime& /*runtime*/, const Value& input, const Arguments& /*none*/) {
    FL_TRY(const std::int64_t count, lengthOf(input));
    return Value(count);
}

Result<Value> join(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const Value* separator = arguments.get(0, "d");
    const Value* attribute = arguments.get(1, "attribute");
    const std::string between = separator != nullptr ? toStr(*separator) : "";
    FL_DO(runtime.spend(static_cast<std::int64_t>(between.size())));
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        out += i > 0 ? between : "";
        FL_TRY(const Value item, attribute != nullptr ? attributePath(items[i], *attribute)
                                                      : Result<Value>(items[i]));
        out += toStr(item);
        if (static_cast<std::int64_t>(out.size()) > runtime.limits().outputBytes)
            break;
    }
    FL_DO(runtime.grow(static_cast<std::int64_t>(out.size())));
    return Value(std::move(out));
}

bool isGenerator(const Value& value) {
    return value.asList() != nullptr && value.asList()->kind == ListKind::Generator;
}

Result<Value> first(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    if (isGenerator(input)) {
        // Only the first is taken out of what a filter yields.
        if (input.asList()->failure)
            return *input.asList()->failure;
        std::vector<Value>& left = input.asList()->items;
        if (left.empty())
            return Value(Undefined{"No first item, sequence was empty."});
        FL_DO(runtime.spend(static_cast<std::int64_t>(left.size())));
        Value item = left.front();
        left.erase(left.begin());
        return item;
    }
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    return items.empty() ? Value(Undefined{"No first item, sequence was empty."}) : items.front();
}

Result<Value> last(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    if (isGenerator(input))
        return typeError("'generator' object is not reversible");
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    return items.empty() ? Value(Undefined{"No last item, sequence was empty."}) : items.back();
}

Result<Value> list(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    FL_TRY(std::vector<Value> items, itemsOf(runtime, input));
    return Value::list(std::move(items));
}

Result<Value> reverse(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    FL_TRY(std::vector<Value> items, itemsOf(runtime, input));
    std::reverse(items.begin(), items.end());
    if (isGenerator(input))
        return Value::list(std::move(items));
    if (!input.isString())
        return yielded(std::move(items));
    std::string out;
    for (const Value& item : items)
        out += item.string();
    return input.isMarkup() ? Value::markup(std::move(out)) : Value(std::move(out));
}

std::vector<Value> pairsOf(const Dict& dict) {
    std::vector<Value> pairs;
    for (const auto& [key, value] : dict.items)
        pairs.push_back(Value::tuple({key, value}));
    return pairs;
}

Result<Value> items(Runtime& runtime, const Value& input, const Arguments& /*none*/) {
    if (input.isUndefined())
        return yielded({});
    const Dict* dict = input.asDict();
    if (dict == nullptr)
        return typeError("Can only get item pairs from a mapping.");
    FL_DO(runtime.grow(static_cast<std::int64_t>(dict->items.size() * sizeof(Value))));
    return yielded(pairsOf(*dict));
}

Result<Value> dictsort(Runtime& runtime, const Value& input, const Arguments& arguments) {
    const Dict* dict = input.asDict();
    if (dict == nullptr)
        return typeError(fmt::format("'{}' object has no attribute 'items'", input.typeName()));
    FL_DO(runtime.grow(static_cast<std::int64_t>(dict->items.size() * sizeof(Value))));
    const bool caseSensitive = arguments.flag(0, "case_sensitive", false);
    const std::string by = arguments.text(1, "by", "key");
    if (by != "key" && by != "value")
        return typeError("filter 'dictsort' sorts by 'key' or by 'value'");
    const bool byValue = by == "value";
    std::vector<Value> keys;
    for (const auto& [key, value] : dict->items) {
        const Value& sorted = byValue ? value : key;
        keys.push_back(caseSensitive ? sorted : folded(sorted));
    }
    FL_TRY(std::vector<Value> sorted,
           sortedBy(runtime, pairsOf(*dict), keys, arguments.flag(2, "reverse", false)));
    return Value::list(std::move(sorted));
}

// The keys by which sort, unique, min, max and groupby compare.
Result<std::vector<Value>> keysOf(const std::vector<Value>& items,
                                  const Value* attribute,
                                  bool caseSensitive) {
    std::vector<Value> keys;
    for (const Value& item : items) {
        Value key = item;
        if (attribute != nullptr && !attribute->isNone()) {
            FL_TRY(key, attributePath(item, *attribute));
        }
        keys.push_back(caseSensitive ? key : folded(key));
    }
    return keys;
}

// As keysOf(); "a,b" compares by several attributes. Each key is a list, as in Jinja: parts that
// are equal are never asked which is less, which undefined ones could not tell.
Result<std::vector<Value>> sortKeysOf(const std::vector<Value>& items,
                                      const Value* attribute,
                                      bool caseSensitive) {
    std::vector<Value> paths{attribute != nullptr ? *attribute : Value()};
    if (attribute != nullptr && attribute->isString())
        paths = splitAt(attribute->string(), ",", -1);
    std::vector<std::vector<Value>> parts(items.size());
    for (const Value& path : paths) {
        FL_TRY(const std::vector<Value> keys, keysOf(items, &path, caseSensitive));
        for (std::size_t i = 0; i < keys.size(); ++i)
            parts[i].push_back(keys[i]);
    }
    std::vector<Value> out;
    for (std::vector<Value>& part : parts)
        out.push_back(Value::list(std::move(part)));
    return out;
}

Result<Value> sort(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(std::vector<Value> items, itemsOf(runtime, input));
    FL_TRY(const std::vector<Value> keys, sortKeysOf(items, arguments.get(2, "attribute"),
                                                     arguments.flag(1, "case_sensitive", false)));
    FL_TRY(std::vector<Value> sorted,
           sortedBy(runtime, std::move(items), keys, arguments.flag(0, "reverse", false)));
    return Value::list(std::move(sorted));
}

Result<Value> unique(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    FL_TRY(const std::vector<Value> keys, keysOf(items, arguments.get(1, "attribute"),
                                                 arguments.flag(0, "case_sensitive", false)));
    std::vector<Value> seen;
    std::vector<Value> kept;
    for (std::size_t i = 0; i < items.size(); ++i) {
        FL_DO(runtime.spend(static_cast<std::int64_t>(seen.size())));
        const bool isNew = std::none_of(seen.begin(), seen.end(),
                                        [&](const Value& key) { return equals(key, keys[i]); });
        if (!isNew)
            continue;
        seen.push_back(keys[i]);
        kept.push_back(items[i]);
    }
    return yielded(std::move(kept));
}

Result<Value> extreme(Runtime& runtime,
                      const Value& input,
                      const Arguments& arguments,
                      bool least) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    FL_TRY(const std::vector<Value> keys, keysOf(items, arguments.get(1, "attribute"),
                                                 arguments.flag(0, "case_sensitive", false)));
    if (items.empty())
        return Value(Undefined{"No aggregated item, sequence was empty."});
    std::size_t best = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
        FL_TRY(const bool better,
               least ? lessThan(keys[i], keys[best]) : lessThan(keys[best], keys[i]));
        best = better ? i : best;
    }
    return items[best];
}

Result<Value> minimum(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return extreme(runtime, input, arguments, true);
}

Result<Value> maximum(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return extreme(runtime, input, arguments, false);
}

Result<Value> sum(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const Value* attribute = arguments.get(0, "attribute");
    const Value* start = arguments.get(1, "start");
    Value total = start != nullptr ? *start : Value(0);
    if (total.isString())
        return typeError("sum() can't sum strings");
    for (const Value& item : items) {
        FL_TRY(const Value part, attribute != nullptr && !attribute->isNone()
                                     ? attributePath(item, *attribute)
                                     : Result<Value>(item));
        FL_TRY(total, operate(runtime, "+", total, part));
    }
    return total;
}

// The arguments from `count` on, for the filter or test that is called by name.
Arguments behind(const Arguments& arguments, std::size_t count) {
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin(),
                          rest.positional.begin() +
                              static_cast<std::ptrdiff_t>(std::min(count, rest.positional.size())));
    return rest;
}

Result<Value> map(Runtime& runtime, const Value& input, const Arguments& arguments) {
    if (!input.truthy())
        return yielded({});
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const Value* attribute = arguments.get(99, "attribute");
    const Value* fallback = arguments.get(99, "default");
    if (attribute != nullptr && arguments.named.size() > (fallback != nullptr ? 2U : 1U))
        return typeError("filter 'map' got an unexpected argument");
    if (attribute == nullptr &&
        (arguments.positional.empty() || !arguments.positional[0].isString()))
        return typeError("map requires a filter argument");
    std::vector<Value> mapped;
    for (const Value& item : items) {
        FL_DO(runtime.spend());
        FL_TRY(Value value, attribute != nullptr
                                ? attributePath(item, *attribute)
                                : applyFilter(runtime, arguments.positional[0].string(), item,
                                              behind(arguments, 1)));
        mapped.push_back(value.isUndefined() && fallback != nullptr ? *fallback : std::move(value));
    }
    return yielded(std::move(mapped));
}

struct Selection {
    bool byAttribute = false;
    bool wanted = true;
};

// select, reject, selectattr, rejectattr: without a test, by truth.
Result<Value> selected(Runtime& runtime,
                       const Value& input,
                       const Arguments& arguments,
                       const Selection& how) {
    if (!input.truthy())
        return yielded({});
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const std::size_t testIndex = how.byAttribute ? 1 : 0;
    const std::size_t given = arguments.positional.size();
    if (given < testIndex)
        return typeError("Missing parameter for attribute name");
    const bool hasTest = given > testIndex;
    if (hasTest && !arguments.positional[testIndex].isString())
        return typeError("the name of a test must be a string");
    const Arguments rest = behind(arguments, testIndex + 1);
    std::vector<Value> kept;
    for (const Value& item : items) {
        FL_DO(runtime.spend());
        FL_TRY(const Value subject, how.byAttribute ? attributePath(item, arguments.positional[0])
                                                    : Result<Value>(item));
        bool holds = subject.truthy();
        if (hasTest) {
            FL_TRY(holds,
                   applyTest(runtime, arguments.positional[testIndex].string(), subject, rest));
        }
        if (holds == how.wanted)
            kept.push_back(item);
    }
    return yielded(std::move(kept));
}

Result<Value> select(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return selected(runtime, input, arguments, {false, true});
}
Result<Value> reject(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return selected(runtime, input, arguments, {false, false});
}
Result<Value> selectattr(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return selected(runtime, input, arguments, {true, true});
}
Result<Value> rejectattr(Runtime& runtime, const Value& input, const Arguments& arguments) {
    return selected(runtime, input, arguments, {true, false});
}

Result<Value> batch(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const std::int64_t size = arguments.integer(0, "linecount", 0);
    if (size < 1)
        return typeError("filter 'batch' needs a size of at least 1");
    const Value* fill = arguments.get(1, "fill_with");
    if (fill != nullptr)
        FL_DO(runtime.growBy(size, sizeof(Value)));
    std::vector<Value> lines;
    for (std::size_t i = 0; i < items.size(); i += static_cast<std::size_t>(size)) {
        const std::size_t end = std::min(items.size(), i + static_cast<std::size_t>(size));
        std::vector<Value> line(items.begin() + static_cast<std::ptrdiff_t>(i),
                                items.begin() + static_cast<std::ptrdiff_t>(end));
        if (fill != nullptr)
            line.resize(static_cast<std::size_t>(size), *fill);
        lines.push_back(Value::list(std::move(line)));
    }
    return yielded(std::move(lines));
}

// In as many columns: the first ones are longer by one where it does not come out even.
Result<Value> slice(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(const std::vector<Value> items, itemsOf(runtime, input));
    const std::int64_t count = arguments.integer(0, "slices", 0);
    if (count < 1)
        return typeError("filter 'slice' needs a number of slices of at least 1");
    FL_DO(runtime.growBy(count, sizeof(Value) + sizeof(List)));
    const Value* fill = arguments.get(1, "fill_with");
    const auto size = static_cast<std::int64_t>(items.size());
    std::vector<Value> columns;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool longer = i < size % count;
        const std::int64_t end = at + size / count + (longer ? 1 : 0);
        std::vector<Value> column(items.begin() + at, items.begin() + end);
        if (fill != nullptr && !fill->isNone() && !longer)
            column.push_back(*fill);
        columns.push_back(Value::list(std::move(column)));
        at = end;
    }
    return yielded(std::move(columns));
}

Result<Value> groupby(Runtime& runtime, const Value& input, const Arguments& arguments) {
    FL_TRY(std::vector<Value> items, itemsOf(runtime, input));
    const Value* attribute = arguments.get(0, "attribute");
    if (attribute == nullptr)
        return typeError("filter 'groupby' needs an attribute");
    const Value* fallback = arguments.get(1, "default");
    const bool caseSensitive = arguments.flag(2, "case_sensitive", false);
    const auto keyOf = [&](const Value& item, bool fold) -> Result<Value> {
        FL_TRY(Value key, attributePath(item, *attribute));
        if (key.isUndefined() && fallback != nullptr)
            key = *fallback;
        return fold && !caseSensitive ? folded(key) : key;
    };
    std::vector<Value> keys;
    for (const Value& item : items) {
        FL_TRY(Value key, keyOf(item, true));
        keys.push_back(std::move(key));
    }
    FL_TRY(items, sortedBy(runtime, std::move(items), keys, false));
    std::vector<Value> groups;
    Value before;
    for (std::size_t i = 0; i < items.size(); ++i) {
        FL_TRY(Value key, keyOf(items[i], true));
        if (i == 0 || !equals(key, before)) {
            FL_TRY(const Value name, keyOf(items[i], false));
            groups.emplace_back(
                std::make_shared<List>(List{{name, Value::list({})}, ListKind::Group}));
        }
        groups.back().asList()->items[1].asList()->items.push_back(items[i]);
        before = std::move(key);
    }
    return Value::list(std::move(groups));
}

Result<Value> attr(Runtime& /*runtime*/, const Value& input, const Arguments& arguments) {
    // Attributes only: a key of a mapping is none.
    const std::string name = arguments.text(0, "name", "");
    if (input.asDict() != nullptr && !hasMethod(input, name))
        return Value(Undefined{"'dict object' has no such attribute"});
    return attributeOf(input, name);
}

constexpr NamedFilter kFilters[] = {
    {"attr", attr, "name"},
    {"batch", batch, "linecount,fill_with", true},
    {"count", length},
    {"dictsort", dictsort, "case_sensitive,by,reverse"},
    {"first", first},
    {"groupby", groupby, "attribute,default,case_sensitive"},
    {"items", items, "", true},
    {"join", join, "d,attribute"},
    {"last", last},
    {"length", length},
    {"list", list},
    {"map", map, "*", true},
    {"max", maximum, "case_sensitive,attribute"},
    {"min", minimum, "case_sensitive,attribute"},
    {"reject", reject, "*", true},
    {"rejectattr", rejectattr, "*", true},
    {"reverse", reverse},
    {"select", select, "*", true},
    {"selectattr", selectattr, "*", true},
    {"slice", slice, "slices,fill_with", true},
    {"sort", sort, "reverse,case_sensitive,attribute"},
    {"sum", sum, "attribute,start"},
    {"unique", unique, "case_sensitive,attribute", true},
};

}  // namespace

std::span<const NamedFilter> sequenceFilters() {
    return kFilters;
}

}  // namespace fl::tokenizer::jinja
