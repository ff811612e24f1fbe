// SPDX-License-Identifier: Apache-2.0
// Template text to syntax tree: Jinja 3.1 with loop controls and `generation` blocks.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/tokenizer/template_ast.h"

namespace fl::tokenizer::jinja {

// Filters and tests that do not exist are found when they are reached, not here.
Result<Body> parseTemplate(std::string_view source);

}  // namespace fl::tokenizer::jinja
