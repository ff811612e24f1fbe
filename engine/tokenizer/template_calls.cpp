// SPDX-License-Identifier: Apache-2.0
// Calls: macros, methods and the functions that every template finds.
#include <algorithm>

#include <fmt/core.h>

#include "engine/tokenizer/template_evaluator.h"
#include "engine/tokenizer/template_strings.h"

namespace fl::tokenizer::jinja {

namespace {

// Jinja's sandbox has the same bound.
constexpr std::int64_t kMaxRange = 100'000;

}  // namespace

Result<Value> Evaluator::evaluateCall(const Expression& expression, const Value* caller) {
    FL_TRY(const Value callee, evaluate(*expression.children[0]));
    FL_TRY(const Arguments arguments, evaluateArguments(expression));
    return call(expression, callee, arguments, caller);
}

Result<Value> Evaluator::call(const Expression& expression,
                              const Value& callee,
                              const Arguments& arguments,
                              const Value* caller) {
    if (const Macro* macro = callee.asMacro())
        return callMacro(expression.at, *macro, arguments, caller);
    if (const Function* function = callee.asFunction())
        return callFunction(expression.at, function->name, arguments);
    if (const Method* method = callee.asMethod()) {
        auto value = callMethod(runtime_, method->self, method->name, arguments);
        if (!value)
            return errorAt(expression.at, value.error().message, value.error().code);
        return value;
    }
    if (const Loop* loop = callee.asLoop())
        return callLoop(expression.at, *loop, arguments);
    if (Cycler* cycler = callee.asCycler(); cycler != nullptr && cycler->isJoiner)
        return cycler->next++ == 0 ? Value("") : cycler->items[0];
    return errorAt(expression.at, callee.isUndefined() ? callee.undefinedMessage()
                                                       : fmt::format("'{}' object is not callable",
                                                                     callee.typeName()));
}

namespace {

// Arguments that no parameter takes: they go to varargs and kwargs where the macro reads these.
Status bindRest(Scope& scope, const Statement& definition, const Arguments& arguments) {
    const std::vector<std::string>& names = definition.parameters;
    const std::size_t bound = std::min(names.size(), arguments.positional.size());
    if (definition.readsVarargs)
        scope.set("varargs",
                  Value::tuple({arguments.positional.begin() + static_cast<std::ptrdiff_t>(bound),
                                arguments.positional.end()}));
    else if (arguments.positional.size() > names.size())
        return typeError(fmt::format("macro '{}' takes not more than {} argument(s)",
                                     definition.text, names.size()));
    auto rest = std::make_shared<Dict>();
    for (const auto& [name, value] : arguments.named) {
        const auto found =
            std::find(names.begin() + static_cast<std::ptrdiff_t>(bound), names.end(), name);
        if (found != names.end())
            continue;
        if (!definition.readsKwargs)
            return typeError(
                fmt::format("macro '{}' takes no keyword argument '{}'", definition.text, name));
        rest->set(Value(name), value);
    }
    if (definition.readsKwargs)
        scope.set("kwargs", Value(std::move(rest)));
    return Done{};
}

}  // namespace

Status Evaluator::bindParameters(Location at,
                                 const Statement& definition,
                                 const Arguments& arguments) {
    const std::vector<std::string>& names = definition.parameters;
    if (const Status rest = bindRest(*scope_, definition, arguments); !rest)
        return errorAt(at, rest.error().message);
    const std::size_t firstDefault = names.size() - definition.expressions.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (const Value* given = arguments.get(i, names[i])) {
            scope_->set(names[i], *given);
        } else if (i >= firstDefault) {
            FL_TRY(Value value, evaluate(*definition.expressions[i - firstDefault]));
            scope_->set(names[i], std::move(value));
        } else {
            scope_->set(names[i],
                        Value(Undefined{fmt::format("parameter '{}' was not provided", names[i])}));
        }
    }
    return Done{};
}

std::optional<Value> macroAttribute(const Macro& macro, const std::string& name) {
    const Statement& definition = *macro.definition;
    if (name == "name")
        return Value(definition.text);
    if (name == "catch_varargs")
        return Value(definition.readsVarargs);
    if (name == "catch_kwargs")
        return Value(definition.readsKwargs);
    if (name == "caller")
        return Value(definition.readsCaller);
    if (name != "arguments")
        return std::nullopt;
    std::vector<Value> names(definition.parameters.begin(), definition.parameters.end());
    return Value::tuple(std::move(names));
}

Result<Value> Evaluator::callMacro(Location at,
                                   const Macro& macro,
                                   const Arguments& arguments,
                                   const Value* caller) {
    if (macroDepth_ >= runtime_.limits().depth)
        return errorAt(at,
                       fmt::format("macros are nested deeper than {}", runtime_.limits().depth));
    // The macro may go away while it runs, when its name is set anew.
    const Statement& definition = *macro.definition;
    const ScopePtr scope = std::make_shared<Scope>(Scope{macro.scope, {}});
    if (caller != nullptr && !definition.readsCaller)
        return errorAt(
            at, fmt::format("macro '{}' takes no keyword argument 'caller'", definition.text));
    if (definition.readsCaller)
        scope->set("caller", caller != nullptr ? *caller : Value(Undefined{"No caller defined"}));
    ++macroDepth_;
    const ScopePtr before = std::exchange(scope_, scope);
    const Status bound = bindParameters(at, definition, arguments);
    auto text = bound ? capture(scope, definition.body) : Result<std::string>(bound.error());
    scope_ = before;
    --macroDepth_;
    if (!text)
        return std::move(text).error();
    return Value(*std::move(text));
}

namespace {

// dict(mapping or pairs, name=value, …)
Result<Value> makeDict(Runtime& runtime, const Arguments& arguments) {
    auto dict = std::make_shared<Dict>();
    if (arguments.positional.size() > 1)
        return typeError("dict expected at most 1 argument");
    if (!arguments.positional.empty()) {
        const Value& given = arguments.positional[0];
        if (given.asDict() != nullptr) {
            *dict = *given.asDict();
        } else {
            FL_TRY(const std::vector<Value> pairs, iterate(runtime, given));
            for (const Value& pair : pairs) {
                FL_TRY(const std::vector<Value> parts, iterate(runtime, pair));
                FL_DO(runtime.spend(static_cast<std::int64_t>(dict->items.size())));
                if (parts.size() != 2)
                    return typeError("dict() needs pairs");
                dict->set(parts[0], parts[1]);
            }
        }
    }
    for (const auto& [key, value] : arguments.named)
        dict->set(Value(key), value);
    return Value(std::move(dict));
}

}  // namespace

Result<Value> Evaluator::callFunction(Location at,
                                      const std::string& name,
                                      const Arguments& arguments) {
    const auto located = [at](Result<Value> value) -> Result<Value> {
        if (!value)
            return errorAt(at, value.error().message, value.error().code);
        return value;
    };
    if (name == "raise_exception") {
        const Value* message = arguments.get(0, "message");
        return errorAt(at, message != nullptr ? toStr(*message) : std::string(),
                       ErrorCode::InvalidArgument);
    }
    if (name == "strftime_now") {
        if (clock_.empty())
            return errorAt(at, "strftime_now is called, but no time was given");
        auto text = formatTime(clock_, arguments.text(0, "format", ""));
        if (!text)
            return errorAt(at, text.error().message);
        return Value(*std::move(text));
    }
    if (name == "range")
        return located(makeRange(arguments));
    if (name == "namespace")
        return located(makeNamespace(arguments));
    if (name == "cycler" || name == "joiner")
        return located(makeCycler(name, arguments));
    if (name == "dict")
        return located(makeDict(runtime_, arguments));
    return errorAt(at, fmt::format("{}() is not supported: its text is one of chance", name),
                   ErrorCode::Unsupported);
}

Result<Value> Evaluator::makeCycler(const std::string& name, const Arguments& arguments) {
    auto made = std::make_shared<Cycler>();
    made->isJoiner = name == "joiner";
    made->items = made->isJoiner ? std::vector<Value>{Value(arguments.text(0, "sep", ", "))}
                                 : arguments.positional;
    if (made->items.empty())
        return typeError("cycler() needs an item");
    return Value(std::move(made));
}

Result<Value> Evaluator::makeNamespace(const Arguments& arguments) {
    auto space = std::make_shared<Namespace>();
    if (!arguments.positional.empty() && arguments.positional[0].asDict() != nullptr)
        space->attributes = *arguments.positional[0].asDict();
    for (const auto& [key, value] : arguments.named)
        space->attributes.set(Value(key), value);
    for (const auto& [key, value] : space->attributes.items) {
        if (key.isString() && key.string().substr(0, 1) == "_")
            return typeError(fmt::format("a namespace cannot hold '{}'", key.string()));
    }
    Value made(std::move(space));
    runtime_.keep(made);
    return made;
}

Result<Value> Evaluator::makeRange(const Arguments& arguments) {
    const std::vector<Value>& given = arguments.positional;
    if (given.empty() || given.size() > 3)
        return typeError("range expects 1 to 3 arguments");
    for (const Value& bound : given) {
        if (!bound.isIntegral())
            return typeError(
                fmt::format("'{}' object cannot be interpreted as an integer", bound.typeName()));
    }
    const std::int64_t begin = given.size() > 1 ? given[0].integer() : 0;
    const std::int64_t end = given[given.size() > 1 ? 1 : 0].integer();
    const std::int64_t step = given.size() > 2 ? given[2].integer() : 1;
    if (step == 0)
        return typeError("range() arg 3 must not be zero");
    // In floating point, where the difference of two integers cannot overflow.
    const double count =
        (static_cast<double>(end) - static_cast<double>(begin)) / static_cast<double>(step);
    if (count > static_cast<double>(kMaxRange))
        return Error{ErrorCode::OutOfMemory,
                     fmt::format("range too big, the limit is {} items", kMaxRange)};
    FL_DO(runtime_.grow(static_cast<std::int64_t>(std::max(count, 0.0)) *
                        static_cast<std::int64_t>(sizeof(Value))));
    std::vector<Value> items;
    std::int64_t value = begin;
    while (step > 0 ? value < end : value > end) {
        items.emplace_back(value);
        if (__builtin_add_overflow(value, step, &value))
            break;
    }
    return Value(std::make_shared<List>(List{std::move(items), ListKind::Range}));
}

}  // namespace fl::tokenizer::jinja
