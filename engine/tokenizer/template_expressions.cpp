// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "engine/tokenizer/template_evaluator.h"

namespace fl::tokenizer::jinja {

namespace {

constexpr int kMaxRecursion = 1500;

// Gives an error that has no place yet the one of `at`.
Error placed(Location at, const Error& error) {
    return errorAt(at, error.message, error.code);
}

template <class T>
Result<Value> valueAt(Location at, Result<T> result) {
    if (!result)
        return placed(at, result.error());
    return Value(*std::move(result));
}

constexpr std::string_view kFunctions[] = {
    "raise_exception", "strftime_now", "namespace", "range", "dict", "cycler", "joiner", "lipsum"};

}  // namespace

Result<Value> Evaluator::evaluate(const Expression& expression) {
    if (auto cost = runtime_.spend(); !cost)
        return placed(expression.at, cost.error());
    if (++recursion_ > kMaxRecursion)
        return errorAt(expression.at, "blocks and calls are nested too deep");
    auto value = evaluateKind(expression);
    --recursion_;
    const bool makes =
        expression.kind != ExpressionKind::Name && expression.kind != ExpressionKind::Constant;
    if (makes && value)
        runtime_.keepIfNested(*value);
    return value;
}

Result<Value> Evaluator::evaluateKind(const Expression& expression) {
    switch (expression.kind) {
        case ExpressionKind::Constant:
            return expression.constant;
        case ExpressionKind::Name:
            return evaluateName(expression);
        case ExpressionKind::List:
        case ExpressionKind::Tuple:
            return evaluateItems(expression);
        case ExpressionKind::Dict:
            return evaluateDict(expression);
        case ExpressionKind::Attribute: {
            FL_TRY(const Value value, evaluate(*expression.children[0]));
            return valueAt(expression.at, attributeOf(value, expression.name));
        }
        case ExpressionKind::Subscript:
            return evaluateSubscript(expression);
        case ExpressionKind::Slice:
            return errorAt(expression.at, "a slice stands for itself");
        case ExpressionKind::Call:
            return evaluateCall(expression, nullptr);
        case ExpressionKind::Filter:
            return evaluateFilter(expression, nullptr);
        case ExpressionKind::Test:
            return evaluateTest(expression);
        case ExpressionKind::Unary:
            return evaluateUnary(expression);
        case ExpressionKind::Binary:
            return evaluateBinary(expression);
        case ExpressionKind::Compare:
            return evaluateCompare(expression);
        case ExpressionKind::Ternary:
            return evaluateTernary(expression);
    }
    return Value();
}

Result<Value> Evaluator::evaluateName(const Expression& expression) const {
    if (const Value* found = scope_->find(expression.name))
        return *found;
    for (const std::string_view name : kFunctions) {
        if (expression.name == name)
            return Value(std::make_shared<Function>(Function{expression.name}));
    }
    return Value(Undefined{fmt::format("'{}' is undefined", expression.name)});
}

Result<Value> Evaluator::evaluateItems(const Expression& expression) {
    std::vector<Value> items;
    items.reserve(expression.children.size());
    for (const ExpressionPtr& child : expression.children) {
        FL_TRY(Value item, evaluate(*child));
        items.push_back(std::move(item));
    }
    return expression.kind == ExpressionKind::Tuple ? Value::tuple(std::move(items))
                                                    : Value::list(std::move(items));
}

Result<Value> Evaluator::evaluateDict(const Expression& expression) {
    auto dict = std::make_shared<Dict>();
    for (std::size_t i = 0; i < expression.children.size(); i += 2) {
        FL_TRY(const Value key, evaluate(*expression.children[i]));
        FL_TRY(Value value, evaluate(*expression.children[i + 1]));
        if (key.asDict() != nullptr || (key.asList() != nullptr && !key.asList()->isTuple()))
            return errorAt(expression.at, fmt::format("unhashable type: '{}'", key.typeName()));
        dict->set(key, std::move(value));
    }
    return Value(std::move(dict));
}

Result<Value> Evaluator::evaluateSubscript(const Expression& expression) {
    FL_TRY(const Value value, evaluate(*expression.children[0]));
    const Expression& index = *expression.children[1];
    if (index.kind != ExpressionKind::Slice) {
        FL_TRY(const Value key, evaluate(index));
        return valueAt(expression.at, itemOf(value, key));
    }
    Value bounds[3];
    for (std::size_t i = 0; i < 3; ++i) {
        if (index.children[i]) {
            FL_TRY(bounds[i], evaluate(*index.children[i]));
        }
    }
    auto part = sliceOf(value, bounds[0], bounds[1], bounds[2]);
    if (!part)
        return placed(expression.at, part.error());
    const std::int64_t bytes =
        part->isString() ? static_cast<std::int64_t>(part->string().size())
        : part->asList() != nullptr
            ? static_cast<std::int64_t>(part->asList()->items.size() * sizeof(Value))
            : 0;
    if (auto cost = runtime_.grow(bytes); !cost)
        return placed(expression.at, cost.error());
    return part;
}

Result<Value> Evaluator::evaluateUnary(const Expression& expression) {
    FL_TRY(const Value value, evaluate(*expression.children[0]));
    if (expression.name == "not")
        return Value(!value.truthy());
    if (!value.isNumber())
        return errorAt(expression.at, value.isUndefined()
                                          ? value.undefinedMessage()
                                          : fmt::format("bad operand type for unary {}: '{}'",
                                                        expression.name, value.typeName()));
    if (value.isFloat())
        return Value(expression.name == "-" ? -value.number() : value.number());
    return valueAt(expression.at, operate(runtime_, expression.name, Value(0), value));
}

Result<Value> Evaluator::evaluateBinary(const Expression& expression) {
    FL_TRY(Value left, evaluate(*expression.children[0]));
    // "and" and "or" give one of their operands, and look at the right one only if they must.
    if (expression.name == "and" || expression.name == "or") {
        if (left.truthy() == (expression.name == "or"))
            return left;
        return evaluate(*expression.children[1]);
    }
    FL_TRY(const Value right, evaluate(*expression.children[1]));
    return valueAt(expression.at, operate(runtime_, expression.name, left, right));
}

Result<Value> Evaluator::evaluateCompare(const Expression& expression) {
    FL_TRY(Value left, evaluate(*expression.children[0]));
    for (std::size_t i = 0; i < expression.names.size(); ++i) {
        FL_TRY(Value right, evaluate(*expression.children[i + 1]));
        const auto holds = compare(expression.names[i], left, right);
        if (!holds)
            return placed(expression.at, holds.error());
        if (!*holds)
            return Value(false);
        left = std::move(right);
    }
    return Value(true);
}

Result<Value> Evaluator::evaluateTernary(const Expression& expression) {
    FL_TRY(const Value condition, evaluate(*expression.children[1]));
    if (condition.truthy())
        return evaluate(*expression.children[0]);
    if (expression.children[2])
        return evaluate(*expression.children[2]);
    return Value(
        Undefined{"the inline if-expression evaluated to false and no else section was "
                  "defined."});
}

Result<Arguments> Evaluator::evaluateArguments(const Expression& expression) {
    Arguments arguments;
    const std::size_t firstNamed = expression.children.size() - expression.names.size();
    for (std::size_t i = 1; i < expression.children.size(); ++i) {
        FL_TRY(Value value, evaluate(*expression.children[i]));
        if (i < firstNamed)
            arguments.positional.push_back(std::move(value));
        else
            arguments.named.emplace_back(expression.names[i - firstNamed], std::move(value));
    }
    if (expression.spread) {
        FL_TRY(const Value more, evaluate(*expression.spread));
        auto items = iterate(runtime_, more);
        if (!items)
            return placed(expression.at, items.error());
        arguments.positional.insert(arguments.positional.end(), items->begin(), items->end());
    }
    if (expression.spreadNamed) {
        FL_TRY(const Value more, evaluate(*expression.spreadNamed));
        if (more.asDict() == nullptr)
            return errorAt(expression.at, "what stands behind ** is no mapping");
        for (const auto& [key, value] : more.asDict()->items)
            arguments.named.emplace_back(toStr(key), value);
    }
    return arguments;
}

Result<Value> Evaluator::evaluateFilter(const Expression& expression, const Value* input) {
    Value value = input != nullptr ? *input : Value();
    if (const Expression* child = expression.children[0].get()) {
        // In a block the chain ends at a filter without a child, which takes the block's text.
        FL_TRY(value, input != nullptr && child->kind == ExpressionKind::Filter
                          ? evaluateFilter(*child, input)
                          : evaluate(*child));
    }
    FL_TRY(const Arguments arguments, evaluateArguments(expression));
    if (auto cost = runtime_.spend(); !cost)
        return placed(expression.at, cost.error());
    return valueAt(expression.at, applyFilter(runtime_, expression.name, value, arguments));
}

Result<Value> Evaluator::evaluateTest(const Expression& expression) {
    FL_TRY(const Value value, evaluate(*expression.children[0]));
    FL_TRY(const Arguments arguments, evaluateArguments(expression));
    return valueAt(expression.at, applyTest(runtime_, expression.name, value, arguments));
}

}  // namespace fl::tokenizer::jinja
