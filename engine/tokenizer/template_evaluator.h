// SPDX-License-Identifier: Apache-2.0
// Walks the syntax tree of a template and writes what it prints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/template_ast.h"
#include "engine/tokenizer/template_runtime.h"

namespace fl::tokenizer::jinja {

// Variables of one block, on top of those around it.
struct Scope {
    std::shared_ptr<Scope> outer;
    std::vector<std::pair<std::string, Value>> variables;

    const Value* find(const std::string& name) const;  // here and further out
    void set(const std::string& name, Value value);    // here
};

// A macro, or the body of a call block. It sees the variables of the place where it stands.
struct Macro {
    const Statement* definition = nullptr;
    std::shared_ptr<Scope> scope;
};

class Evaluator {
public:
    // `variables` is what the template may read; `clock` the time that strftime_now gives, or "".
    Evaluator(const Dict& variables, std::string clock, const TemplateLimits& limits);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    // Errors name line and column. Once per evaluator.
    Result<std::string> run(const Body& body);

private:
    enum class Flow : std::uint8_t { Next, Break, Continue };
    using ScopePtr = std::shared_ptr<Scope>;

    Result<Flow> execute(const Body& body);
    Result<Flow> executeIn(const ScopePtr& scope, const Body& body);
    Result<Flow> execute(const Statement& statement);
    Result<Flow> executeIf(const Statement& statement);
    Result<Flow> executeFor(const Statement& statement);
    Result<Flow> executeLoop(const Statement& statement, const Value& iterable, int depth);
    Result<std::vector<Value>> loopItems(const Statement& statement, const Value& iterable);
    Result<Value> callLoop(Location at, const Loop& loop, const Arguments& arguments);
    Status executeSet(const Statement& statement);
    Status executeSetBlock(const Statement& statement);
    Status executeCallBlock(const Statement& statement);
    Status executeFilterBlock(const Statement& statement);
    Result<Flow> executeWith(const Statement& statement);
    Result<Flow> executeBlock(const Statement& statement);
    Status defineMacro(const Statement& statement);
    // What `body` prints, in a scope inside `outer`.
    Result<std::string> capture(const ScopePtr& scope, const Body& body);
    Status print(Location at, std::string_view text);
    Status assign(Location at, const Target& target, const Value& value);
    ScopePtr inner() const;

    Result<Value> evaluate(const Expression& expression);
    Result<Value> evaluateKind(const Expression& expression);
    Result<Value> evaluateName(const Expression& expression) const;
    Result<Value> evaluateItems(const Expression& expression);
    Result<Value> evaluateDict(const Expression& expression);
    Result<Value> evaluateSubscript(const Expression& expression);
    Result<Value> evaluateUnary(const Expression& expression);
    Result<Value> evaluateBinary(const Expression& expression);
    Result<Value> evaluateCompare(const Expression& expression);
    Result<Value> evaluateTernary(const Expression& expression);
    Result<Value> evaluateCall(const Expression& expression, const Value* caller);
    Result<Value> evaluateTest(const Expression& expression);
    // Applies a chain of filters to `input`, which stands in for the missing innermost child.
    Result<Value> evaluateFilter(const Expression& expression, const Value* input);
    Result<Arguments> evaluateArguments(const Expression& expression);

    Result<Value> call(const Expression& expression,
                       const Value& callee,
                       const Arguments& arguments,
                       const Value* caller);
    Result<Value> callMacro(Location at,
                            const Macro& macro,
                            const Arguments& arguments,
                            const Value* caller);
    Status bindParameters(Location at, const Statement& definition, const Arguments& arguments);
    Result<Value> callFunction(Location at, const std::string& name, const Arguments& arguments);
    Result<Value> makeNamespace(const Arguments& arguments);
    Result<Value> makeRange(const Arguments& arguments);
    static Result<Value> makeCycler(const std::string& name, const Arguments& arguments);

    Runtime runtime_;
    std::string clock_;
    ScopePtr scope_;
    ScopePtr top_;  // what the template sets outside of everything
    std::string* out_ = nullptr;
    int macroDepth_ = 0;
    int recursion_ = 0;
    // Scopes that hold macros hold themselves: emptied at the end.
    std::vector<ScopePtr> macroScopes_;
};

}  // namespace fl::tokenizer::jinja
