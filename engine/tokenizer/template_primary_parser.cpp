// SPDX-License-Identifier: Apache-2.0
// The innermost part of the grammar: literals, names, and what is written behind them.
#include <charconv>

#include <fmt/core.h>

#include "engine/tokenizer/template_expression_parser.h"

namespace fl::tokenizer::jinja {

Result<ExpressionPtr> ExpressionParser::primary() {
    switch (current().kind) {
        case TokenKind::Name:
            return nameOrConstant();
        case TokenKind::String:
            return strings();
        case TokenKind::Integer:
        case TokenKind::Float:
            return number();
        case TokenKind::Operator:
            if (isOperator("("))
                return parenthesis();
            if (isOperator("["))
                return listLiteral();
            if (isOperator("{"))
                return dictLiteral();
            return unexpected();
        default:
            return unexpected();
    }
}

Result<ExpressionPtr> ExpressionParser::nameOrConstant() {
    ExpressionPtr made = make(ExpressionKind::Constant, current().at);
    const std::string& name = current().text;
    if (name == "true" || name == "True") {
        made->constant = Value(true);
    } else if (name == "false" || name == "False") {
        made->constant = Value(false);
    } else if (name != "none" && name != "None") {
        made->kind = ExpressionKind::Name;
        made->name = name;
    }
    advance();
    return made;
}

Result<ExpressionPtr> ExpressionParser::number() {
    ExpressionPtr made = make(ExpressionKind::Constant, current().at);
    const std::string& text = current().text;
    const char* end = text.data() + text.size();
    if (is(TokenKind::Float)) {
        double value = 0;
        std::from_chars(text.data(), end, value);
        made->constant = Value(value);
    } else {
        std::int64_t value = 0;
        if (std::from_chars(text.data(), end, value).ec != std::errc())
            return errorAt(made->at, fmt::format("the number {} is too large", text));
        made->constant = Value(value);
    }
    advance();
    return made;
}

Result<ExpressionPtr> ExpressionParser::strings() {
    ExpressionPtr made = make(ExpressionKind::Constant, current().at);
    std::string text;
    while (is(TokenKind::String)) {
        text += current().text;
        advance();
    }
    made->constant = Value(std::move(text));
    return made;
}

Result<ExpressionPtr> ExpressionParser::parenthesis() {
    const Location at = current().at;
    advance();
    if (skipOperator(")"))
        return make(ExpressionKind::Tuple, at);
    FL_TRY(ExpressionPtr value, tuple());
    FL_DO(expectOperator(")"));
    return value;
}

Result<ExpressionPtr> ExpressionParser::listLiteral() {
    ExpressionPtr made = make(ExpressionKind::List, current().at);
    advance();
    while (!isOperator("]")) {
        FL_TRY(ExpressionPtr item, expression());
        made->children.push_back(std::move(item));
        if (!skipOperator(","))
            break;
    }
    FL_DO(expectOperator("]"));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::dictLiteral() {
    ExpressionPtr made = make(ExpressionKind::Dict, current().at);
    advance();
    while (!isOperator("}")) {
        FL_TRY(ExpressionPtr key, expression());
        FL_DO(expectOperator(":"));
        FL_TRY(ExpressionPtr value, expression());
        made->children.push_back(std::move(key));
        made->children.push_back(std::move(value));
        if (!skipOperator(","))
            break;
    }
    FL_DO(expectOperator("}"));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::postfix(ExpressionPtr value) {
    for (;;) {
        if (isOperator(".")) {
            FL_TRY(value, dot(std::move(value)));
        } else if (isOperator("[")) {
            FL_TRY(value, subscript(std::move(value)));
        } else if (isOperator("(")) {
            FL_TRY(value, call(std::move(value)));
        } else {
            return value;
        }
    }
}

Result<ExpressionPtr> ExpressionParser::filterChain(ExpressionPtr value) {
    for (;;) {
        if (isOperator("|")) {
            advance();
            FL_TRY(value, filter(std::move(value)));
        } else if (isName("is")) {
            FL_TRY(value, test(std::move(value)));
        } else if (isOperator("(")) {
            FL_TRY(value, call(std::move(value)));
        } else {
            return value;
        }
    }
}

Result<ExpressionPtr> ExpressionParser::filters(ExpressionPtr input, bool firstWithoutBar) {
    if (firstWithoutBar) {
        FL_TRY(input, filter(std::move(input)));
    }
    while (skipOperator("|")) {
        FL_TRY(input, filter(std::move(input)));
    }
    return input;
}

Result<ExpressionPtr> ExpressionParser::dot(ExpressionPtr value) {
    const Location at = current().at;
    advance();
    // x.0 is x[0].
    if (is(TokenKind::Integer)) {
        ExpressionPtr made = make(ExpressionKind::Subscript, at);
        FL_TRY(ExpressionPtr index, number());
        made->children.push_back(std::move(value));
        made->children.push_back(std::move(index));
        return finished(std::move(made));
    }
    ExpressionPtr made = make(ExpressionKind::Attribute, at);
    FL_TRY(made->name, expectAnyName());
    made->children.push_back(std::move(value));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::subscript(ExpressionPtr value) {
    ExpressionPtr made = make(ExpressionKind::Subscript, current().at);
    advance();
    FL_TRY(ExpressionPtr index, subscriptIndex());
    FL_DO(expectOperator("]"));
    made->children.push_back(std::move(value));
    made->children.push_back(std::move(index));
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::subscriptIndex() {
    const Location at = current().at;
    ExpressionPtr begin;
    if (!isOperator(":")) {
        FL_TRY(begin, tuple());
        if (!isOperator(":"))
            return begin;
    }
    ExpressionPtr made = make(ExpressionKind::Slice, at);
    made->children.push_back(std::move(begin));
    while (made->children.size() < 3 && skipOperator(":")) {
        ExpressionPtr bound;
        if (!isOperator(":") && !isOperator("]")) {
            FL_TRY(bound, expression());
        }
        made->children.push_back(std::move(bound));
    }
    made->children.resize(3);
    return finished(std::move(made));
}

Result<ExpressionPtr> ExpressionParser::call(ExpressionPtr value) {
    ExpressionPtr made = make(ExpressionKind::Call, current().at);
    made->children.push_back(std::move(value));
    FL_DO(arguments(*made));
    return finished(std::move(made));
}

Status ExpressionParser::arguments(Expression& call) {
    FL_DO(expectOperator("("));
    while (!isOperator(")")) {
        if (isOperator("*") || isOperator("**")) {
            ExpressionPtr& spread = isOperator("*") ? call.spread : call.spreadNamed;
            if (spread || call.spreadNamed)
                return unexpected();
            advance();
            FL_TRY(spread, expression());
            if (!skipOperator(","))
                break;
            continue;
        }
        const bool isNamed =
            is(TokenKind::Name) && ahead().kind == TokenKind::Operator && ahead().text == "=";
        if (call.spreadNamed || (call.spread && !isNamed))
            return errorAt(current().at, "an argument follows unpacked ones");
        if (isNamed) {
            call.names.push_back(current().text);
            advance();
            advance();
        } else if (!call.names.empty()) {
            return errorAt(current().at, "a positional argument follows a named one");
        }
        FL_TRY(ExpressionPtr value, expression());
        call.children.push_back(std::move(value));
        if (!skipOperator(","))
            break;
    }
    return expectOperator(")");
}

Result<ExpressionPtr> ExpressionParser::filter(ExpressionPtr value) {
    ExpressionPtr made = make(ExpressionKind::Filter, current().at);
    FL_TRY(made->name, expectAnyName());
    while (skipOperator(".")) {
        FL_TRY(const std::string part, expectAnyName());
        made->name += "." + part;
    }
    made->children.push_back(std::move(value));
    if (isOperator("("))
        FL_DO(arguments(*made));
    return finished(std::move(made));
}

bool ExpressionParser::beginsTestArgument() const {
    switch (current().kind) {
        case TokenKind::Name:
            return !isName("else") && !isName("or") && !isName("and") && !isName("is") &&
                   !isName("if") && !isName("in") && !isName("not");
        case TokenKind::String:
        case TokenKind::Integer:
        case TokenKind::Float:
            return true;
        default:
            return isOperator("[") || isOperator("{");
    }
}

Result<ExpressionPtr> ExpressionParser::test(ExpressionPtr value) {
    ExpressionPtr made = make(ExpressionKind::Test, current().at);
    advance();
    const bool negated = skipName("not");
    FL_TRY(made->name, expectAnyName());
    made->children.push_back(std::move(value));
    if (isOperator("(")) {
        FL_DO(arguments(*made));
    } else if (beginsTestArgument()) {
        FL_TRY(ExpressionPtr argument, primary());
        FL_TRY(argument, postfix(std::move(argument)));
        made->children.push_back(std::move(argument));
    }
    FL_TRY(made, finished(std::move(made)));
    if (!negated)
        return made;
    ExpressionPtr inverted = make(ExpressionKind::Unary, made->at);
    inverted->name = "not";
    inverted->children.push_back(std::move(made));
    return finished(std::move(inverted));
}

}  // namespace fl::tokenizer::jinja
