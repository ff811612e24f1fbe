// SPDX-License-Identifier: Apache-2.0
// The tests behind "is".
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
    return value.isString() || value.asList() != nullptr || value.asDict() != nullptr ||
           value.isUndefined();
}
bool isIterable(const Value& value) {
    return isSequence(value) || value.asLoop() != nullptr;
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
    {"callable", [](const Value& value) { return value.isCallable(); }},
    {"defined", isDefined},
    {"escaped", [](const Value&) { return false; }},
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

Result<bool> divisibility(const std::string& name, const Value& input, std::int64_t divisor) {
    if (!input.isIntegral())
        return typeError(fmt::format("test '{}' needs an integer", name));
    if (divisor == 0)
        return typeError("integer modulo by zero");
    // −1 divides everything, and INT64_MIN % −1 overflows.
    return divisor == -1 || input.integer() % divisor == 0;
}

bool isFilter(const std::string& name) {
    for (const auto table : {scalarFilters(), sequenceFilters()}) {
        for (const NamedFilter& filter : table) {
            if (filter.name == name)
                return true;
        }
    }
    return false;
}

}  // namespace

Result<bool> applyTest(Runtime& /*runtime*/,
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
    if (name == "even" || name == "odd") {
        FL_TRY(const bool isEven, divisibility(name, input, 2));
        return isEven == (name == "even");
    }
    if (name == "divisibleby")
        return divisibility(name, input, arguments.integer(0, "num", 0));
    if (name == "sameas")
        return !arguments.positional.empty() && input.isSame(arguments.positional[0]);
    if (name == "filter")
        return input.isString() && isFilter(input.string());
    return Error{ErrorCode::Unsupported, fmt::format("there is no test '{}'", name)};
}

}  // namespace fl::tokenizer::jinja
