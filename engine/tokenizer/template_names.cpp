// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/template_names.h"

namespace fl::tokenizer::jinja {

void forEachExpression(const Expression& expression,
                       const std::function<void(const Expression&)>& visit) {
    visit(expression);
    for (const ExpressionPtr& child : expression.children) {
        if (child)
            forEachExpression(*child, visit);
    }
    for (const ExpressionPtr* spread : {&expression.spread, &expression.spreadNamed}) {
        if (*spread)
            forEachExpression(**spread, visit);
    }
}

void forEachExpression(const Body& body, const std::function<void(const Expression&)>& visit) {
    for (const auto& statement : body) {
        for (const ExpressionPtr& expression : statement->expressions) {
            if (expression)
                forEachExpression(*expression, visit);
        }
        if (statement->call)
            forEachExpression(*statement->call, visit);
        for (const auto& [condition, branch] : statement->branches) {
            forEachExpression(*condition, visit);
            forEachExpression(branch, visit);
        }
        forEachExpression(statement->body, visit);
        forEachExpression(statement->otherwise, visit);
    }
}

bool reads(const Body& body, std::string_view name) {
    bool found = false;
    forEachExpression(body, [&](const Expression& expression) {
        found = found || (expression.kind == ExpressionKind::Name && expression.name == name);
    });
    return found;
}

}  // namespace fl::tokenizer::jinja
