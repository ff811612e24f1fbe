// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_expression_parser.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

namespace fl::tokenizer::jinja {

namespace {

// Parser and evaluator recurse; real templates stay below 30, but chains of "+" count as well.
constexpr int kMaxDepth = 400;
constexpr int kMaxParentheses = 150;

}  // namespace

const Token& ExpressionParser::ahead() const {
    return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
}

void ExpressionParser::advance() {
    if (at_ + 1 < tokens_.size())
        ++at_;
}

bool ExpressionParser::isOperator(std::string_view text) const {
    return is(TokenKind::Operator) && current().text == text;
}

bool ExpressionParser::isName(std::string_view text) const {
    return is(TokenKind::Name) && current().text == text;
}

bool ExpressionParser::skipOperator(std::string_view text) {
    const bool found = isOperator(text);
    if (found)
        advance();
    return found;
}

bool ExpressionParser::skipName(std::string_view text) {
    const bool found = isName(text);
    if (found)
        advance();
    return found;
}

Error ExpressionParser::unexpected() const {
    const Token& token = current();
    switch (token.kind) {
        case TokenKind::End:
            return errorAt(token.at, "unexpected end of the template");
        case TokenKind::BlockEnd:
        case TokenKind::OutputEnd:
            return errorAt(token.at, "unexpected end of the tag");
        default:
            return errorAt(token.at, fmt::format("unexpected '{}'", token.text));
    }
}

Status ExpressionParser::expectOperator(std::string_view text) {
    if (skipOperator(text))
        return Done{};
    return errorAt(current().at, fmt::format("expected '{}', found '{}'", text, current().text));
}

Status ExpressionParser::expectName(std::string_view text) {
    if (skipName(text))
        return Done{};
    return errorAt(current().at, fmt::format("expected '{}', found '{}'", text, current().text));
}

Result<std::string> ExpressionParser::expectAnyName() {
    if (!is(TokenKind::Name))
        return unexpected();
    std::string name = current().text;
    advance();
    return name;
}

ExpressionPtr ExpressionParser::make(ExpressionKind kind, Location at) const {
    auto made = std::make_unique<Expression>();
    made->kind = kind;
    made->at = at;
    return made;
}

Result<ExpressionPtr> ExpressionParser::finished(ExpressionPtr made) const {
    int deepest = 0;
    for (const ExpressionPtr& child : made->children)
        deepest = std::max(deepest, child ? child->depth : 0);
    for (const ExpressionPtr* spread : {&made->spread, &made->spreadNamed})
        deepest = std::max(deepest, *spread ? (*spread)->depth : 0);
    made->depth = deepest + 1;
    if (made->depth > kMaxDepth)
        return errorAt(made->at, "this expression is nested too deep");
    return made;
}

Result<ExpressionPtr> ExpressionParser::binary(ExpressionPtr left,
                                               ExpressionPtr right,
                                               const Token& sign) {
    ExpressionPtr made = make(ExpressionKind::Binary, sign.at);
    made->name = sign.text;
    made->children.push_back(std::move(left));
    made->children.push_back(std::move(right));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::expression(bool conditional) {
    if (++nesting_ > kMaxParentheses)
        return errorAt(current().at, "this expression is nested too deep");
    FL_TRY(ExpressionPtr value, orExpression());
    while (conditional && isName("if")) {
        ExpressionPtr made = make(ExpressionKind::Ternary, current().at);
        advance();
        FL_TRY(ExpressionPtr condition, orExpression());
        ExpressionPtr otherwise;
        if (skipName("else")) {
            FL_TRY(otherwise, expression());
        }
        made->children.push_back(std::move(value));
        made->children.push_back(std::move(condition));
        made->children.push_back(std::move(otherwise));
        FL_TRY(value, finished(std::move(made)));
    }
    --nesting_;
    return value;
}

Result<ExpressionPtr> ExpressionParser::tuple(bool conditional) {
    const Location at = current().at;
    FL_TRY(ExpressionPtr first, expression(conditional));
    if (!isOperator(","))
        return first;
    ExpressionPtr made = make(ExpressionKind::Tuple, at);
    made->children.push_back(std::move(first));
    while (skipOperator(",")) {
        if (is(TokenKind::BlockEnd) || is(TokenKind::OutputEnd) || isOperator(")"))
            break;
        FL_TRY(ExpressionPtr next, expression(conditional));
        made->children.push_back(std::move(next));
    }
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::orExpression() {
    FL_TRY(ExpressionPtr left, andExpression());
    while (isName("or")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, andExpression());
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::andExpression() {
    FL_TRY(ExpressionPtr left, notExpression());
    while (isName("and")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, notExpression());
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::notExpression() {
    int count = 0;
    const Location at = current().at;
    while (skipName("not"))
        ++count;
    FL_TRY(ExpressionPtr value, compare());
    // "not not x" is the truth of x: two are as good as any even number.
    for (int i = 0; i < (count > 2 ? 2 - count % 2 : count); ++i) {
        ExpressionPtr made = make(ExpressionKind::Unary, at);
        made->name = "not";
        made->children.push_back(std::move(value));
        FL_TRY(value, finished(std::move(made)));
    }
    return value;
}

Result<ExpressionPtr> ExpressionParser::compare() {
    const Location at = current().at;
    FL_TRY(ExpressionPtr first, sum());
    ExpressionPtr made = make(ExpressionKind::Compare, at);
    for (;;) {
        std::string sign;
        if (is(TokenKind::Operator)) {
            static constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
            if (std::find(std::begin(kSigns), std::end(kSigns), current().text) != std::end(kSigns))
                sign = current().text;
        } else if (isName("in")) {
            sign = "in";
        } else if (isName("not") && ahead().kind == TokenKind::Name && ahead().text == "in") {
            advance();
            sign = "not in";
        }
        if (sign.empty())
            break;
        advance();
        made->names.push_back(sign);
        FL_TRY(ExpressionPtr next, sum());
        made->children.push_back(std::move(next));
    }
    if (made->names.empty())
        return first;
    made->children.insert(made->children.begin(), std::move(first));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::sum() {
    FL_TRY(ExpressionPtr left, concatenation());
    while (isOperator("+") || isOperator("-")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, concatenation());
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::concatenation() {
    FL_TRY(ExpressionPtr left, product());
    while (isOperator("~")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, product());
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::product() {
    FL_TRY(ExpressionPtr left, power());
    while (isOperator("*") || isOperator("/") || isOperator("//") || isOperator("%")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, power());
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::power() {
    FL_TRY(ExpressionPtr left, unary(true));
    while (isOperator("**")) {
        const Token sign = current();
        advance();
        FL_TRY(ExpressionPtr right, unary(true));
        FL_TRY(left, binary(std::move(left), std::move(right), sign));
    }
    return left;
}

Result<ExpressionPtr> ExpressionParser::unary(bool withFilters) {
    if (!isOperator("-") && !isOperator("+")) {
        FL_TRY(ExpressionPtr value, primary());
        FL_TRY(value, postfix(std::move(value)));
        return withFilters ? filterChain(std::move(value))
                           : Result<ExpressionPtr>(std::move(value));
    }
    ExpressionPtr made = make(ExpressionKind::Unary, current().at);
    made->name = current().text;
    advance();
    if (++nesting_ > kMaxParentheses)
        return errorAt(current().at, "this expression is nested too deep");
    FL_TRY(ExpressionPtr value, unary(false));
    --nesting_;
    made->children.push_back(std::move(value));
    FL_TRY(made, finished(std::move(made)));
    return withFilters ? filterChain(std::move(made)) : Result<ExpressionPtr>(std::move(made));
}

}  // namespace fl::tokenizer::jinja
