// SPDX-License-Identifier: Apache-2.0
// The tokens of a template with a place in them, and the grammar of expressions on top.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/template_ast.h"

namespace fl::tokenizer::jinja {

class ExpressionParser {
public:
    explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    const Token& current() const { return tokens_[at_]; }
    const Token& ahead() const;
    void advance();
    bool is(TokenKind kind) const { return current().kind == kind; }
    bool isOperator(std::string_view text) const;
    bool isName(std::string_view text) const;
    // Steps over the token if it is that one.
    bool skipOperator(std::string_view text);
    bool skipName(std::string_view text);
    Status expectOperator(std::string_view text);
    Status expectName(std::string_view text);
    Result<std::string> expectAnyName();
    Error unexpected() const;

    // Without `conditional`, "a if b else c" needs parentheses.
    Result<ExpressionPtr> expression(bool conditional = true);
    // One expression, or several with commas between, which make a tuple.
    Result<ExpressionPtr> tuple(bool conditional = true);
    // "| name(…) | name …" applied to `input`, which may be null.
    Result<ExpressionPtr> filters(ExpressionPtr input, bool firstWithoutBar);
    // A call's "(…)" appended to `call`.
    Status arguments(Expression& call);

private:
    Result<ExpressionPtr> orExpression();
    Result<ExpressionPtr> andExpression();
    Result<ExpressionPtr> notExpression();
    Result<ExpressionPtr> compare();
    Result<ExpressionPtr> sum();
    Result<ExpressionPtr> concatenation();
    Result<ExpressionPtr> product();
    Result<ExpressionPtr> power();
    Result<ExpressionPtr> unary(bool withFilters);
    Result<ExpressionPtr> primary();
    Result<ExpressionPtr> nameOrConstant();
    Result<ExpressionPtr> number();
    Result<ExpressionPtr> strings();
    Result<ExpressionPtr> parenthesis();
    Result<ExpressionPtr> listLiteral();
    Result<ExpressionPtr> dictLiteral();
    Result<ExpressionPtr> postfix(ExpressionPtr value);
    Result<ExpressionPtr> filterChain(ExpressionPtr value);
    Result<ExpressionPtr> dot(ExpressionPtr value);
    Result<ExpressionPtr> subscript(ExpressionPtr value);
    Result<ExpressionPtr> subscriptIndex();
    Result<ExpressionPtr> call(ExpressionPtr value);
    Result<ExpressionPtr> filter(ExpressionPtr value);
    Result<ExpressionPtr> test(ExpressionPtr value);
    Result<ExpressionPtr> binary(ExpressionPtr left, ExpressionPtr right, const Token& sign);

    ExpressionPtr make(ExpressionKind kind, Location at) const;
    Result<ExpressionPtr> finished(ExpressionPtr made) const;
    bool beginsTestArgument() const;

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int nesting_ = 0;
};

}  // namespace fl::tokenizer::jinja
