// SPDX-License-Identifier: Apache-2.0
// Which names a template reads, found in its syntax tree.
#pragma once

#include <functional>
#include <string_view>

#include "engine/tokenizer/template_ast.h"

namespace fl::tokenizer::jinja {

// Calls `visit` with every expression of `body`, outer ones first.
void forEachExpression(const Body& body, const std::function<void(const Expression&)>& visit);
void forEachExpression(const Expression& expression,
                       const std::function<void(const Expression&)>& visit);

bool reads(const Body& body, std::string_view name);

}  // namespace fl::tokenizer::jinja
