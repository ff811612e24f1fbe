// SPDX-License-Identifier: Apache-2.0
// Statements. Expressions are in template_expressions.cpp, calls in template_calls.cpp.
#include "engine/tokenizer/template_evaluator.h"

#include <fmt/core.h>

namespace fl::tokenizer::jinja {

namespace {

// Bounds the stack; a level takes below 2 KiB of it.
constexpr int kMaxRecursion = 1500;

}  // namespace

const Value* Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer.get()) {
        for (const auto& [known, value] : scope->variables) {
            if (known == name)
                return &value;
        }
    }
    return nullptr;
}

void Scope::set(const std::string& name, Value value) {
    for (auto& [known, held] : variables) {
        if (known == name) {
            held = std::move(value);
            return;
        }
    }
    variables.emplace_back(name, std::move(value));
}

Evaluator::Evaluator(const Dict& variables, std::string clock, const TemplateLimits& limits)
    : runtime_(limits),
      clock_(std::move(clock)),
      scope_(std::make_shared<Scope>()) {
    for (const auto& [name, value] : variables.items)
        scope_->set(toStr(name), value);
    // What the template sets lies on top of what it is given.
    scope_ = inner();
    top_ = scope_;
}

Evaluator::~Evaluator() {
    for (const ScopePtr& scope : macroScopes_)
        scope->variables.clear();
    top_->variables.clear();
}

Result<std::string> Evaluator::run(const Body& body) {
    std::string out;
    out_ = &out;
    FL_TRY([[maybe_unused]] const Flow flow, execute(body));
    return out;
}

Evaluator::ScopePtr Evaluator::inner() const {
    return std::make_shared<Scope>(Scope{scope_, {}});
}

Result<Evaluator::Flow> Evaluator::execute(const Body& body) {
    for (const auto& statement : body) {
        if (auto cost = runtime_.spend(); !cost)
            return errorAt(statement->at, cost.error().message, cost.error().code);
        if (++recursion_ > kMaxRecursion)
            return errorAt(statement->at, "blocks and calls are nested too deep");
        auto flow = execute(*statement);
        --recursion_;
        if (!flow || *flow != Flow::Next)
            return flow;
    }
    return Flow::Next;
}

Result<Evaluator::Flow> Evaluator::executeIn(const ScopePtr& scope, const Body& body) {
    const ScopePtr before = std::exchange(scope_, scope);
    auto flow = execute(body);
    scope_ = before;
    return flow;
}

Result<Evaluator::Flow> Evaluator::execute(const Statement& statement) {
    switch (statement.kind) {
        case StatementKind::Text:
            FL_DO(print(statement.at, statement.text));
            return Flow::Next;
        case StatementKind::Output: {
            FL_TRY(const Value value, evaluate(*statement.expressions[0]));
            FL_DO(print(statement.at, value.isString() ? value.string() : toStr(value)));
            return Flow::Next;
        }
        case StatementKind::If:
            return executeIf(statement);
        case StatementKind::For:
            return executeFor(statement);
        case StatementKind::Set:
            FL_DO(executeSet(statement));
            return Flow::Next;
        case StatementKind::SetBlock:
            FL_DO(executeSetBlock(statement));
            return Flow::Next;
        case StatementKind::Macro:
            FL_DO(defineMacro(statement));
            return Flow::Next;
        case StatementKind::CallBlock:
            FL_DO(executeCallBlock(statement));
            return Flow::Next;
        case StatementKind::FilterBlock:
            FL_DO(executeFilterBlock(statement));
            return Flow::Next;
        case StatementKind::With:
            return executeWith(statement);
        case StatementKind::Block:
            return executeBlock(statement);
        case StatementKind::Break:
            return Flow::Break;
        case StatementKind::Continue:
            return Flow::Continue;
    }
    return Flow::Next;
}

Status Evaluator::print(Location at, std::string_view text) {
    const auto bytes = static_cast<std::int64_t>(text.size());
    if (static_cast<std::int64_t>(out_->size()) + bytes > runtime_.limits().outputBytes)
        return errorAt(
            at, fmt::format("the output grows beyond {} bytes", runtime_.limits().outputBytes),
            ErrorCode::OutOfMemory);
    if (auto cost = runtime_.spend(bytes); !cost)
        return errorAt(at, cost.error().message, cost.error().code);
    *out_ += text;
    return Done{};
}

Result<Evaluator::Flow> Evaluator::executeIf(const Statement& statement) {
    for (const auto& [condition, body] : statement.branches) {
        FL_TRY(const Value holds, evaluate(*condition));
        if (holds.truthy())
            return execute(body);
    }
    return execute(statement.otherwise);
}

// The items that the loop's own condition lets through.
Result<std::vector<Value>> Evaluator::loopItems(const Statement& statement, const Value& iterable) {
    auto items = iterate(runtime_, iterable);
    if (!items)
        return errorAt(statement.at, items.error().message, items.error().code);
    if (!statement.expressions[1])
        return items;
    std::vector<Value> kept;
    const ScopePtr before = scope_;
    for (const Value& item : *items) {
        scope_ = std::make_shared<Scope>(Scope{before, {}});
        Status bound = assign(statement.at, statement.targets[0], item);
        auto holds = bound ? evaluate(*statement.expressions[1]) : Result<Value>(bound.error());
        scope_ = before;
        if (!holds)
            return std::move(holds).error();
        if (holds->truthy())
            kept.push_back(item);
    }
    return kept;
}

Result<Evaluator::Flow> Evaluator::executeFor(const Statement& statement) {
    FL_TRY(const Value iterable, evaluate(*statement.expressions[0]));
    return executeLoop(statement, iterable, 0);
}

Result<Evaluator::Flow> Evaluator::executeLoop(const Statement& statement,
                                               const Value& iterable,
                                               int depth) {
    FL_TRY(std::vector<Value> items, loopItems(statement, iterable));
    auto loop = std::make_shared<Loop>();
    loop->items = std::move(items);
    loop->depth = depth;
    if (statement.recursive) {
        loop->recursive = &statement;
        loop->scope = scope_;
    }
    bool ranThrough = false;
    for (; loop->index < loop->items.size(); ++loop->index) {
        const ScopePtr scope = inner();
        scope->set("loop", Value(loop));
        const ScopePtr before = std::exchange(scope_, scope);
        const Status bound = assign(statement.at, statement.targets[0], loop->items[loop->index]);
        auto flow = bound ? execute(statement.body) : Result<Flow>(bound.error());
        scope_ = before;
        if (!flow)
            return flow;
        if (*flow == Flow::Break)
            break;
        ranThrough = ranThrough || *flow == Flow::Next;
    }
    // Jinja's "else" is taken where no pass came to its end, also because all broke off.
    return ranThrough ? Result<Flow>(Flow::Next) : executeIn(inner(), statement.otherwise);
}

// loop(items): the loop's body once more, over the parts of one of its items.
Result<Value> Evaluator::callLoop(Location at, const Loop& loop, const Arguments& arguments) {
    if (loop.recursive == nullptr)
        return errorAt(at, "the loop must be marked 'recursive' to be called");
    if (arguments.positional.size() != 1)
        return errorAt(at, "loop() takes one argument");
    if (loop.depth + 1 >= runtime_.limits().depth)
        return errorAt(at, fmt::format("loops are nested deeper than {}", runtime_.limits().depth));
    const Statement& statement = *loop.recursive;
    const int depth = loop.depth + 1;
    std::string text;
    std::string* const before = std::exchange(out_, &text);
    const ScopePtr outside = std::exchange(scope_, loop.scope);
    auto flow = executeLoop(statement, arguments.positional[0], depth);
    scope_ = outside;
    out_ = before;
    if (!flow)
        return std::move(flow).error();
    return Value(std::move(text));
}

Status Evaluator::assign(Location at, const Target& target, const Value& value) {
    if (!target.parts.empty()) {
        auto items = iterate(runtime_, value);
        if (!items)
            return errorAt(at, fmt::format("cannot unpack: {}", items.error().message),
                           items.error().code);
        if (items->size() != target.parts.size())
            return errorAt(at, fmt::format("cannot unpack {} values into {} names", items->size(),
                                           target.parts.size()));
        for (std::size_t i = 0; i < items->size(); ++i)
            FL_DO(assign(at, target.parts[i], (*items)[i]));
        return Done{};
    }
    if (target.attribute.empty()) {
        scope_->set(target.name, value);
        return Done{};
    }
    const Value* held = scope_->find(target.name);
    Namespace* space = held != nullptr ? held->asNamespace() : nullptr;
    if (space == nullptr)
        return errorAt(at, "cannot assign attribute on non-namespace object");
    if (target.attribute[0] == '_')
        return errorAt(at, fmt::format("a namespace cannot hold '{}'", target.attribute));
    space->attributes.set(Value(target.attribute), value);
    return Done{};
}

Status Evaluator::executeSet(const Statement& statement) {
    FL_TRY(const Value value, evaluate(*statement.expressions[0]));
    return assign(statement.at, statement.targets[0], value);
}

Result<std::string> Evaluator::capture(const ScopePtr& scope, const Body& body) {
    std::string text;
    std::string* const before = std::exchange(out_, &text);
    auto flow = executeIn(scope, body);
    out_ = before;
    if (!flow)
        return std::move(flow).error();
    return text;
}

Status Evaluator::executeSetBlock(const Statement& statement) {
    FL_TRY(std::string text, capture(inner(), statement.body));
    Value value(std::move(text));
    if (statement.expressions[0]) {
        FL_TRY(value, evaluateFilter(*statement.expressions[0], &value));
    }
    return assign(statement.at, statement.targets[0], value);
}

Status Evaluator::executeFilterBlock(const Statement& statement) {
    FL_TRY(std::string text, capture(inner(), statement.body));
    const Value printed(std::move(text));
    FL_TRY(const Value value, evaluateFilter(*statement.expressions[0], &printed));
    return print(statement.at, toStr(value));
}

Status Evaluator::defineMacro(const Statement& statement) {
    macroScopes_.push_back(scope_);
    scope_->set(statement.text, Value(std::make_shared<Macro>(Macro{&statement, scope_})));
    return Done{};
}

Status Evaluator::executeCallBlock(const Statement& statement) {
    const Value caller(std::make_shared<Macro>(Macro{&statement, scope_}));
    // The callee may keep the caller in a namespace.
    macroScopes_.push_back(scope_);
    FL_TRY(const Value value, evaluateCall(*statement.call, &caller));
    return print(statement.at, toStr(value));
}

Result<Evaluator::Flow> Evaluator::executeWith(const Statement& statement) {
    const ScopePtr scope = inner();
    std::vector<Value> values;
    for (const ExpressionPtr& expression : statement.expressions) {
        FL_TRY(Value value, evaluate(*expression));
        values.push_back(std::move(value));
    }
    const ScopePtr before = std::exchange(scope_, scope);
    for (std::size_t i = 0; i < statement.targets.size(); ++i) {
        const Status bound = assign(statement.at, statement.targets[i], values[i]);
        if (!bound) {
            scope_ = before;
            return bound.error();
        }
    }
    scope_ = before;
    return executeIn(scope, statement.body);
}

// A block that is not "scoped" sees what the template set, not the loop or macro it stands in.
Result<Evaluator::Flow> Evaluator::executeBlock(const Statement& statement) {
    const ScopePtr outside = statement.recursive ? scope_ : top_;
    return executeIn(std::make_shared<Scope>(Scope{outside, {}}), statement.body);
}

}  // namespace fl::tokenizer::jinja
