// SPDX-License-Identifier: Apache-2.0
// JSON values as Python prints them, for prompts that were made by Python elsewhere.
#pragma once

#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer {

// json.dumps(value, ensure_ascii=False); `compact`: keys sorted in every object, no spaces.
Result<std::string> pythonJson(const Json& value, bool compact);
std::string pythonText(const Json& value);  // str(value)
std::string pythonStrip(const std::string& text);

}  // namespace fl::tokenizer
