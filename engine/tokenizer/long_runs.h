// SPDX-License-Identifier: Apache-2.0
// Kimi's guard against pieces without end: text is cut within long runs before anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "engine/base/result.h"

namespace fl::tokenizer {

// Hands out `text` (valid UTF-8) in parts: cut every `longestText` characters and, within those,
// where more than `longestRun` spaces (Python's isspace) or other characters stand in a row.
Status cutLongRuns(std::string_view text,
                   std::int64_t longestRun,
                   std::int64_t longestText,
                   const std::function<Status(std::string_view)>& sink);

}  // namespace fl::tokenizer
