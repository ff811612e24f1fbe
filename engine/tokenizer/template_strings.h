// SPDX-License-Identifier: Apache-2.0
// Python's operations on text, counted in code points.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tokenizer/template_value.h"

namespace fl::tokenizer::jinja {

// The text of a string literal: escapes of Python's unicode_escape.
Result<std::string> unescaped(std::string_view literal);

// strip(), lstrip(), rstrip(): without `characters`, white space.
struct Strip {
    bool left = true;
    bool right = true;
    std::optional<std::string> characters;
};
std::string strip(std::string_view text, const Strip& how);

// split(): at runs of white space, or at every `separator`; at most `limit` cuts (−1: any number).
std::vector<Value> splitSpaces(std::string_view text, std::int64_t limit);
std::vector<Value> splitAt(std::string_view text, std::string_view separator, std::int64_t limit);
std::vector<Value> rsplitAt(std::string_view text, std::string_view separator, std::int64_t limit);
std::vector<Value> splitLines(std::string_view text, bool keepEnds);

// At most `limit` replacements (−1: all), from the left.
std::string replaced(std::string_view text,
                     std::string_view from,
                     std::string_view to,
                     std::int64_t limit);

std::string capitalized(std::string_view text);
std::string titled(std::string_view text);

// "%s and %d" % values.
Result<std::string> percentFormat(std::string_view format, const std::vector<Value>& values);
// str.format(): {} {0} {name} {0.key} and specifications of width, precision and type.
Result<std::string> braceFormat(std::string_view format,
                                const std::vector<Value>& positional,
                                const std::vector<std::pair<std::string, Value>>& named);

// Begin, end and step of a Python slice over `size` items, clamped.
struct SliceRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t step = 1;
};
SliceRange clampSlice(std::optional<std::int64_t> begin,
                      std::optional<std::int64_t> end,
                      std::int64_t step,
                      std::int64_t size);

// strftime in English, of a time "YYYY-MM-DDTHH:MM:SS".
Result<std::string> formatTime(std::string_view time, std::string_view format);

}  // namespace fl::tokenizer::jinja
