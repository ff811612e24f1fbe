// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison, attributes and subscripts, as Python has them.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/template_strings.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

Error unsupportedOperands(std::string_view sign, const Value& left, const Value& right) {
    if (left.isUndefined() || right.isUndefined())
        return typeError(left.isUndefined() ? left.undefinedMessage() : right.undefinedMessage());
    return typeError(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", sign,
                                 left.typeName(), right.typeName()));
}

Result<Value> integerOperation(std::string_view sign, std::int64_t left, std::int64_t right) {
    std::int64_t out = 0;
    bool overflow = false;
    if (sign == "+") {
        overflow = __builtin_add_overflow(left, right, &out);
    } else if (sign == "-") {
        overflow = __builtin_sub_overflow(left, right, &out);
    } else if (sign == "*") {
        overflow = __builtin_mul_overflow(left, right, &out);
    } else if (sign == "**") {
        out = 1;
        // More than 63 doublings overflow; powers of 0, 1 and −1 repeat after two.
        const std::int64_t count =
            left >= -1 && left <= 1 ? (right > 1 ? 2 - right % 2 : right) : right;
        for (std::int64_t i = 0; i < count && !overflow; ++i)
            overflow = __builtin_mul_overflow(out, left, &out);
    } else {
        // "//" and "%" round towards minus infinity.
        if (right == -1)
            return sign == "%" ? Value(0) : integerOperation("-", 0, left);
        std::int64_t quotient = left / right;
        const std::int64_t rest = left % right;
        const bool rounds = rest != 0 && ((rest < 0) != (right < 0));
        quotient -= rounds ? 1 : 0;
        out = sign == "%" ? rest + (rounds ? right : 0) : quotient;
    }
    if (overflow)
        return typeError("an integer grows beyond 64 bits");
    return Value(out);
}

// Floor division and its rest, as CPython reckons them.
Value floorDivision(std::string_view sign, double a, double b) {
    double rest = std::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= 1;
        }
    } else {
        rest = std::copysign(0.0, b);
    }
    if (sign == "%")
        return Value(rest);
    if (quotient == 0)
        return Value(std::copysign(0.0, a / b));
    const double whole = std::floor(quotient);
    return Value(quotient - whole > 0.5 ? whole + 1 : whole);
}

Result<Value> floatOperation(std::string_view sign, double a, double b) {
    if (sign == "+")
        return Value(a + b);
    if (sign == "-")
        return Value(a - b);
    if (sign == "*")
        return Value(a * b);
    if (sign == "/")
        return Value(a / b);
    if (sign != "**")
        return floorDivision(sign, a, b);
    if (a == 0 && b < 0)
        return typeError("0.0 cannot be raised to a negative power");
    const double power = std::pow(a, b);
    if (std::isnan(power) && !std::isnan(a) && !std::isnan(b))
        return typeError("a negative number has no real power of that kind");
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b))
        return typeError("numerical result out of range");
    return Value(power);
}

Result<Value> numberOperation(std::string_view sign, const Value& left, const Value& right) {
    const bool divides = sign == "/" || sign == "//" || sign == "%";
    if (divides && right.number() == 0)
        return typeError("division by zero");
    const bool isFraction = sign == "/" || (sign == "**" && right.number() < 0);
    if (left.isIntegral() && right.isIntegral() && !isFraction)
        return integerOperation(sign, left.integer(), right.integer());
    return floatOperation(sign, left.number(), right.number());
}

// A text of the kind that `model` is.
Value like(const Value& model, std::string text) {
    return model.isMarkup() ? Value::markup(std::move(text)) : Value(std::move(text));
}

bool isRepeatable(const Value& value) {
    const List* list = value.asList();
    return value.isString() || (list != nullptr && list->kind <= ListKind::Tuple);
}

Result<Value> repeated(Runtime& runtime, const Value& value, std::int64_t count) {
    count = std::max<std::int64_t>(count, 0);
    const auto size = static_cast<std::int64_t>(
        value.isString() ? value.string().size() : value.asList()->items.size() * sizeof(Value));
    FL_DO(runtime.growBy(count, size));
    if (value.isString()) {
        std::string out;
        for (std::int64_t i = 0; size > 0 && i < count; ++i)
            out += value.string();
        return like(value, std::move(out));
    }
    std::vector<Value> items;
    for (std::int64_t i = 0; size > 0 && i < count; ++i)
        items.insert(items.end(), value.asList()->items.begin(), value.asList()->items.end());
    return value.asList()->isTuple() ? Value::tuple(std::move(items))
                                     : Value::list(std::move(items));
}

Result<Value> added(Runtime& runtime, const Value& left, const Value& right) {
    if (left.isString() && right.isString()) {
        FL_DO(
            runtime.grow(static_cast<std::int64_t>(left.string().size() + right.string().size())));
        if (left.isMarkup() || right.isMarkup())
            return Value::markup(escaped(left) + escaped(right));
        return Value(left.string() + right.string());
    }
    const List* a = left.asList();
    const List* b = right.asList();
    if (a == nullptr || b == nullptr || a->kind != b->kind || a->kind > ListKind::Tuple)
        return unsupportedOperands("+", left, right);
    FL_DO(runtime.grow(
        static_cast<std::int64_t>((a->items.size() + b->items.size()) * sizeof(Value))));
    std::vector<Value> items = a->items;
    items.insert(items.end(), b->items.begin(), b->items.end());
    return a->isTuple() ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

std::string containerName(const Value& value) {
    return fmt::format("'{} object'", value.typeName());
}

Value missing(const Value& value, std::string_view name) {
    return Value(Undefined{fmt::format("{} has no attribute '{}'", containerName(value), name)});
}

Result<std::optional<std::int64_t>> sliceBound(const Value& value) {
    if (value.isNone())
        return std::optional<std::int64_t>();
    if (!value.isIntegral())
        return typeError("slice indices must be integers or None");
    return std::optional<std::int64_t>(value.integer());
}

// loop.index and the like; nothing for what loops do not have.
std::optional<Value> loopAttribute(const Value& value, const std::string& name) {
    const Loop& loop = *value.asLoop();
    const auto index = static_cast<std::int64_t>(loop.index);
    const auto length = static_cast<std::int64_t>(loop.items.size());
    if (name == "index")
        return Value(index + 1);
    if (name == "index0")
        return Value(index);
    if (name == "revindex")
        return Value(length - index);
    if (name == "revindex0")
        return Value(length - index - 1);
    if (name == "first")
        return Value(index == 0);
    if (name == "last")
        return Value(index + 1 == length);
    if (name == "length")
        return Value(length);
    if (name == "depth")
        return Value(loop.depth + 1);
    if (name == "depth0")
        return Value(loop.depth);
    if (name == "previtem")
        return index == 0 ? Value(Undefined{"there is no previous item"})
                          : loop.items[loop.index - 1];
    if (name == "nextitem")
        return index + 1 == length ? Value(Undefined{"there is no next item"})
                                   : loop.items[loop.index + 1];
    return std::nullopt;
}

// What macros, numbers and cyclers tell of themselves.
std::optional<Value> ownAttribute(const Value& value, const std::string& name) {
    if (const Macro* macro = value.asMacro())
        return macroAttribute(*macro, name);
    if (const Cycler* cycler = value.asCycler(); cycler != nullptr && name == "current")
        return cycler->items.empty() ? Value() : cycler->items[cycler->next];
    if (const List* list = value.asList(); list != nullptr && list->kind == ListKind::Group) {
        if (name == "grouper" || name == "list")
            return list->items[name == "list" ? 1 : 0];
    }
    if (value.isNumber() && !value.isBigInteger() && (name == "real" || name == "imag"))
        return name == "real" ? value : value.isFloat() ? Value(0.0) : Value(0);
    return std::nullopt;
}

}  // namespace

Result<Value> operate(Runtime& runtime,
                      std::string_view sign,
                      const Value& left,
                      const Value& right) {
    if (sign == "~") {
        std::string text = toStr(left);
        text += toStr(right);
        FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
        return Value(std::move(text));
    }
    if (left.isNumber() && right.isNumber())
        return numberOperation(sign, left, right);
    if (sign == "+")
        return added(runtime, left, right);
    if (sign == "*" && right.isIntegral() && isRepeatable(left))
        return repeated(runtime, left, right.integer());
    if (sign == "*" && left.isIntegral() && isRepeatable(right))
        return repeated(runtime, right, left.integer());
    if (sign == "%" && left.isString()) {
        FL_TRY(std::string text, percentFormat(left, right, runtime.limits().outputBytes));
        FL_DO(runtime.grow(static_cast<std::int64_t>(text.size())));
        return like(left, std::move(text));
    }
    return unsupportedOperands(sign, left, right);
}

Result<bool> compare(std::string_view sign, const Value& left, const Value& right) {
    if (sign == "==")
        return equalsWithin(left, right);
    if (sign == "!=") {
        FL_TRY(const bool equal, equalsWithin(left, right));
        return !equal;
    }
    if (sign == "in")
        return contains(right, left);
    if (sign == "not in") {
        FL_TRY(const bool found, contains(right, left));
        return !found;
    }
    if (sign == "<")
        return lessThan(left, right);
    if (sign == ">")
        return lessThan(right, left);
    const Value& small = sign == "<=" ? left : right;
    const Value& large = sign == "<=" ? right : left;
    FL_TRY(const bool isLess, lessThan(small, large));
    return isLess || equals(left, right);
}

Result<Value> attributeOf(const Value& value, const std::string& name) {
    if (value.isUndefined())
        return typeError(value.undefinedMessage());
    if (const Namespace* space = value.asNamespace()) {
        const Value* found = space->attributes.find(std::string_view(name));
        return found != nullptr ? *found : missing(value, name);
    }
    if (value.asLoop() != nullptr) {
        if (const auto found = loopAttribute(value, name))
            return *found;
    }
    if (const auto own = ownAttribute(value, name))
        return *own;
    if (hasMethod(value, name))
        return Value(std::make_shared<Method>(Method{value, name}));
    if (const Dict* dict = value.asDict()) {
        if (const Value* found = dict->find(std::string_view(name)))
            return *found;
    }
    return missing(value, name);
}

Result<Value> itemOf(const Value& value, const Value& key) {
    if (value.isUndefined())
        return typeError(value.undefinedMessage());
    if (const Dict* dict = value.asDict()) {
        if (const Value* found = dict->find(key))
            return *found;
    }
    const bool isIndexed =
        value.isString() || (value.asList() != nullptr && value.asList()->isSequence());
    if (key.isIntegral() && isIndexed) {
        FL_TRY(const std::int64_t size, lengthOf(value));
        const std::int64_t index = key.integer() < 0 ? key.integer() + size : key.integer();
        if (index < 0 || index >= size)
            return Value(Undefined{
                fmt::format("{} has no element {}", containerName(value), key.integer())});
        if (const List* list = value.asList())
            return list->items[static_cast<std::size_t>(index)];
        return like(value,
                    fromCodePoints(
                        toCodePoints(value.string()).substr(static_cast<std::size_t>(index), 1)));
    }
    if (key.isString() && value.asDict() == nullptr)
        return attributeOf(value, key.string());
    if (key.isString() && hasMethod(value, key.string()))
        return Value(std::make_shared<Method>(Method{value, key.string()}));
    return missing(value, toStr(key));
}

Result<Value> sliceOf(const Value& value, const Value& begin, const Value& end, const Value& step) {
    if (value.isUndefined())
        return typeError(value.undefinedMessage());
    FL_TRY(const auto first, sliceBound(begin));
    FL_TRY(const auto last, sliceBound(end));
    FL_TRY(const auto stride, sliceBound(step));
    if (stride == 0)
        return typeError("slice step cannot be zero");
    const List* list = value.asList();
    if (!value.isString() && (list == nullptr || !list->isSequence()))
        return typeError(fmt::format("'{}' object cannot be cut into slices", value.typeName()));
    const std::u32string codes = list != nullptr ? std::u32string() : toCodePoints(value.string());
    const auto size =
        static_cast<std::int64_t>(list != nullptr ? list->items.size() : codes.size());
    const SliceRange range = clampSlice(first, last, stride.value_or(1), size);
    std::vector<Value> items;
    std::u32string text;
    // One beyond `end` is enough to stop; a huge step must not overflow on the way there.
    const std::int64_t pace = std::clamp(range.step, -size - 1, size + 1);
    for (std::int64_t i = range.begin; pace > 0 ? i < range.end : i > range.end; i += pace) {
        if (list != nullptr)
            items.push_back(list->items[static_cast<std::size_t>(i)]);
        else
            text += codes[static_cast<std::size_t>(i)];
    }
    if (list == nullptr)
        return like(value, fromCodePoints(text));
    return Value(std::make_shared<List>(List{std::move(items), list->kind}));
}

}  // namespace fl::tokenizer::jinja
