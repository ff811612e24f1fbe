// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_value.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

Error typeError(std::string message) {
    return {ErrorCode::Corrupt, std::move(message)};
}

Value Value::markup(std::string text) {
    Value value(std::move(text));
    value.isMarkup_ = true;
    return value;
}

Value Value::list(std::vector<Value> items) {
    return Value(std::make_shared<List>(List{std::move(items)}));
}

Value Value::tuple(std::vector<Value> items) {
    return Value(std::make_shared<List>(List{std::move(items), ListKind::Tuple}));
}

Value Value::fromJson(const Json& json) {
    if (json.isBool())
        return json.boolean();
    if (json.isInteger())
        return json.integer();
    if (json.isBigInteger())
        return std::make_shared<BigInteger>(BigInteger{json.digits(), json.number()});
    if (json.isNumber())
        return json.number();
    if (json.isString())
        return json.string();
    if (json.isArray()) {
        std::vector<Value> items;
        items.reserve(json.size());
        for (const Json& item : json.items())
            items.push_back(fromJson(item));
        return list(std::move(items));
    }
    if (json.isObject()) {
        auto dict = std::make_shared<Dict>();
        for (const auto& [key, item] : json.members())
            dict->items.emplace_back(key, fromJson(item));
        return dict;
    }
    return {};
}

bool Value::isContainer() const {
    return asList() != nullptr || asDict() != nullptr || asNamespace() != nullptr ||
           asLoop() != nullptr || asMethod() != nullptr || asCycler() != nullptr;
}

bool Value::isFresh() const {
    return std::visit(
        [](const auto& held) {
            if constexpr (requires { held.use_count(); })
                return held.use_count() == 1;
            else
                return true;
        },
        data_);
}

bool Value::isCallable() const {
    const Loop* loop = asLoop();
    const Cycler* cycler = asCycler();
    return asMacro() != nullptr || asFunction() != nullptr || asMethod() != nullptr ||
           loop != nullptr || (cycler != nullptr && cycler->isJoiner);
}

std::int64_t Value::integer() const {
    return isBool() ? std::int64_t{*std::get_if<bool>(&data_)} : *std::get_if<std::int64_t>(&data_);
}

double Value::number() const {
    if (const BigInteger* big = asBigInteger())
        return big->value;
    return isFloat() ? *std::get_if<double>(&data_) : static_cast<double>(integer());
}

const std::string& Value::undefinedMessage() const {
    return (*std::get_if<std::shared_ptr<Undefined>>(&data_))->message;
}

bool Value::truthy() const {
    if (isNone() || isUndefined())
        return false;
    if (isIntegral())
        return integer() != 0;
    if (isNumber())
        return number() != 0;
    if (isString())
        return !string().empty();
    if (const List* list = asList())
        return !list->items.empty() || list->kind == ListKind::Generator;
    if (const Dict* dict = asDict())
        return !dict->items.empty();
    return true;
}

std::string_view Value::typeName() const {
    if (isNone())
        return "NoneType";
    if (isUndefined())
        return "Undefined";
    if (isBool())
        return "bool";
    if (isInteger() || isBigInteger())
        return "int";
    if (isFloat())
        return "float";
    if (isString())
        return isMarkup() ? "Markup" : "str";
    if (const List* list = asList()) {
        static constexpr std::string_view kNames[] = {"list",       "tuple",     "_GroupTuple",
                                                      "range",      "dict_keys", "dict_values",
                                                      "dict_items", "generator"};
        return kNames[static_cast<std::size_t>(list->kind)];
    }
    if (asDict() != nullptr)
        return "dict";
    if (asNamespace() != nullptr)
        return "Namespace";
    if (asLoop() != nullptr)
        return "LoopContext";
    if (const Cycler* cycler = asCycler())
        return cycler->isJoiner ? "Joiner" : "Cycler";
    return asMacro() != nullptr ? "Macro" : "function";
}

const Value* Dict::find(const Value& key) const {
    if (key.isString())
        return find(std::string_view(key.string()));
    for (const auto& [known, value] : items) {
        if (equals(known, key))
            return &value;
    }
    return nullptr;
}

const Value* Dict::find(std::string_view key) const {
    for (const auto& [known, value] : items) {
        if (known.isString() && known.string() == key)
            return &value;
    }
    return nullptr;
}

void Dict::set(const Value& key, Value value) {
    for (auto& [known, held] : items) {
        if (equals(known, key)) {
            held = std::move(value);
            return;
        }
    }
    items.emplace_back(key, std::move(value));
}

namespace {

// Two values may share their parts so that going through all of them has no end in sight.
class Comparison {
public:
    bool equal(const Value& left, const Value& right, int depth = 0) {
        if (depth > kMaxNesting || --left_ < 0)
            return false;
        if (left.isIntegral() && right.isIntegral())
            return left.integer() == right.integer();
        if (left.isBigInteger() && right.isBigInteger())
            return left.asBigInteger()->digits == right.asBigInteger()->digits;
        if (left.isNumber() && right.isNumber())
            return left.number() == right.number();
        if (left.isString() && right.isString()) {
            left_ -= static_cast<std::int64_t>(
                std::min(left.string().size(), right.string().size()) / 64);
            return left.string() == right.string();
        }
        if (left.isUndefined() && right.isUndefined())
            return true;
        if (left.isSame(right))
            return true;
        if (left.asList() != nullptr && right.asList() != nullptr)
            return equalLists(*left.asList(), *right.asList(), depth + 1);
        if (left.asDict() != nullptr && right.asDict() != nullptr)
            return equalDicts(*left.asDict(), *right.asDict(), depth + 1);
        return false;
    }
    bool isSpent() const { return left_ < 0; }

private:
    bool equalLists(const List& left, const List& right, int depth) {
        const bool isView = left.kind == ListKind::Keys || left.kind == ListKind::Items;
        if (left.kind != right.kind || left.items.size() != right.items.size() ||
            (!left.isSequence() && !isView))
            return false;
        for (std::size_t i = 0; i < left.items.size(); ++i) {
            if (!equal(left.items[i], right.items[i], depth))
                return false;
        }
        return true;
    }

    bool equalDicts(const Dict& left, const Dict& right, int depth) {
        if (left.items.size() != right.items.size())
            return false;
        return std::all_of(left.items.begin(), left.items.end(), [&](const auto& item) {
            left_ -= static_cast<std::int64_t>(right.items.size() / 16);
            const Value* other = right.find(item.first);
            return other != nullptr && equal(item.second, *other, depth);
        });
    }

    std::int64_t left_ = 300'000;
};

}  // namespace

bool equals(const Value& left, const Value& right) {
    return Comparison().equal(left, right);
}

Result<bool> equalsWithin(const Value& left, const Value& right) {
    Comparison comparison;
    const bool equal = comparison.equal(left, right);
    if (comparison.isSpent())
        return Error{ErrorCode::Timeout, "values are too large to be compared"};
    return equal;
}

Result<bool> lessThan(const Value& left, const Value& right, int depth) {
    if (left.isUndefined())
        return typeError(left.undefinedMessage());
    if (right.isUndefined())
        return typeError(right.undefinedMessage());
    if (left.isIntegral() && right.isIntegral())
        return left.integer() < right.integer();
    if (left.isNumber() && right.isNumber())
        return left.number() < right.number();
    // Bytes of UTF-8 are in the order of the code points.
    if (left.isString() && right.isString())
        return left.string() < right.string();
    const List* a = left.asList();
    const List* b = right.asList();
    if (a != nullptr && b != nullptr && a->kind == b->kind && a->kind <= ListKind::Tuple &&
        depth < kMaxNesting) {
        for (std::size_t i = 0; i < std::min(a->items.size(), b->items.size()); ++i) {
            if (!equals(a->items[i], b->items[i]))
                return lessThan(a->items[i], b->items[i], depth + 1);
        }
        return a->items.size() < b->items.size();
    }
    return typeError(fmt::format("'<' not supported between instances of '{}' and '{}'",
                                 left.typeName(), right.typeName()));
}

Result<bool> contains(const Value& container, const Value& item) {
    if (container.isString()) {
        if (!item.isString())
            return typeError(fmt::format("'in <string>' requires string as left operand, not {}",
                                         item.typeName()));
        return container.string().find(item.string()) != std::string::npos;
    }
    if (const Dict* dict = container.asDict())
        return dict->find(item) != nullptr;
    if (const List* list = container.asList()) {
        if (list->failure)
            return *list->failure;
        for (const Value& held : list->items) {
            FL_TRY(const bool found, equalsWithin(held, item));
            if (found)
                return true;
        }
        return false;
    }
    if (container.isUndefined())
        return false;
    return typeError(fmt::format("argument of type '{}' is not iterable", container.typeName()));
}

Result<std::vector<Value>> iterate(const Value& value) {
    std::vector<Value> items;
    if (List* list = value.asList()) {
        if (list->failure)
            return *list->failure;
        // What a filter yields can be gone through once.
        return list->kind == ListKind::Generator ? std::exchange(list->items, {}) : list->items;
    }
    if (const Dict* dict = value.asDict()) {
        for (const auto& item : dict->items)
            items.push_back(item.first);
        return items;
    }
    if (value.isString()) {
        const std::string& text = value.string();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t bytes = decodeUtf8(text, at).bytes;
            items.emplace_back(text.substr(at, bytes));
            at += bytes;
        }
        return items;
    }
    if (value.isUndefined())
        return items;
    return typeError(fmt::format("'{}' object is not iterable", value.typeName()));
}

Result<std::int64_t> lengthOf(const Value& value) {
    if (value.isString())
        return countCodePoints(value.string());
    if (const List* list = value.asList(); list != nullptr && list->kind != ListKind::Generator)
        return static_cast<std::int64_t>(list->items.size());
    if (const Dict* dict = value.asDict())
        return static_cast<std::int64_t>(dict->items.size());
    if (const Loop* loop = value.asLoop())
        return static_cast<std::int64_t>(loop->items.size());
    if (value.isUndefined())
        return std::int64_t{0};
    return typeError(fmt::format("object of type '{}' has no len()", value.typeName()));
}

}  // namespace fl::tokenizer::jinja
