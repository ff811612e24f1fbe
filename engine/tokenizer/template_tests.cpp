// SPDX-License-Identifier: Apache-2.0
// The tests behind "is".
#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/template_runtime.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/utf8.h"

namespace fl::tokenizer::jinja {

namespace {

using Predicate = bool (*)(const Value&);

bool isDefined(const Value& value) {
    return !value.isUndefined();
}
bool isMapping(const Value& value) {
    return value.asDict() != nullptr;
}
// What has a length and takes an index; an undefined value has both.
bool isSequence(const Value& value) {
    const List* list = value.asList();
    return value.isString() || (list != nullptr && list->isSequence()) ||
           value.asDict() != nullptr || value.isUndefined();
}
bool isIterable(const Value& value) {
    return isSequence(value) || value.asLoop() != nullptr || value.asList() != nullptr;
}
bool isTrue(const Value& value) {
    return value.isBool() && value.integer() != 0;
}
bool isFalse(const Value& value) {
    return value.isBool() && value.integer() == 0;
}
bool isLowerText(const Value& value) {
    bool found = false;
    for (const char32_t code : toCodePoints(toStr(value))) {
        if (isUpper(code))
            return false;
        found = found || isLower(code);
    }
    return found;
}
bool isUpperText(const Value& value) {
    bool found = false;
    for (const char32_t code : toCodePoints(toStr(value))) {
        if (isLower(code))
            return false;
        found = found || isUpper(code);
    }
    return found;
}

constexpr std::pair<std::string_view, Predicate> kPredicates[] = {
    {"boolean", [](const Value& value) { return value.isBool(); }},
    {"callable", [](const Value& value) { return value.isCallable() || value.isUndefined(); }},
    {"defined", isDefined},
    {"escaped", [](const Value& value) { return value.isMarkup(); }},
    {"false", isFalse},
    {"float", [](const Value& value) { return value.isFloat(); }},
    {"integer", [](const Value& value) { return value.isInteger() || value.isBigInteger(); }},
    {"iterable", isIterable},
    {"lower", isLowerText},
    {"mapping", isMapping},
    {"none", [](const Value& value) { return value.isNone(); }},
    {"number", [](const Value& value) { return value.isNumber(); }},
    {"sequence", isSequence},
    {"string", [](const Value& value) { return value.isString(); }},
    {"true", isTrue},
    {"undefined", [](const Value& value) { return value.isUndefined(); }},
    {"upper", isUpperText},
};

// Tests that compare with one argument, and the operator that each is.
constexpr std::pair<std::string_view, std::string_view> kComparisons[] = {
    {"==", "=="},      {"eq", "=="}, {"equalto", "=="}, {"!=", "!="},
    {"ne", "!="},      {">", ">"},   {"gt", ">"},       {"greaterthan", ">"},
    {">=", ">="},      {"ge", ">="}, {"<", "<"},        {"lt", "<"},
    {"lessthan", "<"}, {"<=", "<="}, {"le", "<="},      {"in", "in"},
};

// value % divisor == rest, by whatever "%" means for the value.
Result<bool> leavesRest(Runtime& runtime, const Value& value, const Value& divisor, int rest) {
    if (value.isUndefined())
        return typeError(value.undefinedMessage());
    FL_TRY(const Value left, operate(runtime, "%", value, divisor));
    return equals(left, Value(rest));
}

}  // namespace

bool isTest(const std::string& name) {
    static constexpr std::string_view kOthers[] = {"even",   "odd",    "divisibleby",
                                                   "sameas", "filter", "test"};
    const auto named = [&name](const auto& known) { return known.first == name; };
    return std::any_of(std::begin(kPredicates), std::end(kPredicates), named) ||
           std::any_of(std::begin(kComparisons), std::end(kComparisons), named) ||
           std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
}

Result<bool> applyTest(Runtime& runtime,
                       const std::string& name,
                       const Value& input,
                       const Arguments& arguments) {
    for (const auto& [known, predicate] : kPredicates) {
        if (name == known)
            return predicate(input);
    }
    for (const auto& [known, sign] : kComparisons) {
        if (name != known)
            continue;
        if (arguments.positional.empty())
            return typeError(fmt::format("test '{}' needs an argument", name));
        return compare(sign, input, arguments.positional[0]);
    }
    if (name == "even" || name == "odd")
        return leavesRest(runtime, input, Value(2), name == "odd" ? 1 : 0);
    if (name == "divisibleby") {
        const Value* divisor = arguments.get(0, "num");
        if (divisor == nullptr)
            return typeError("test 'divisibleby' needs an argument");
        return leavesRest(runtime, input, *divisor, 0);
    }
    if (name == "sameas")
        return !arguments.positional.empty() && input.isSame(arguments.positional[0]);
    if (name == "filter")
        return input.isString() && isFilter(input.string());
    if (name == "test")
        return input.isString() && isTest(input.string());
    return Error{ErrorCode::Unsupported, fmt::format("there is no test '{}'", name)};
}

}  // namespace fl::tokenizer::jinja
