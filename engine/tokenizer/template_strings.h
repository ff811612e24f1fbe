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
std::vector<Value> rsplitSpaces(std::string_view text, std::int64_t limit);
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

struct Arguments;

// format % values: a tuple, a mapping for "%(name)s", or one value. Stops beyond `limit` bytes,
// with more than that made.
Result<std::string> percentFormat(const Value& format, const Value& values, std::int64_t limit);
// str.format(): {} {0} {name} {0[key].name} and specifications. Stops likewise.
Result<std::string> braceFormat(const Value& format,
                                const Arguments& arguments,
                                std::int64_t limit);

// As HTML; what is marked as safe is so already.
std::string escaped(const Value& value);

// How often `part` stands in `text` without overlap. Precondition: not empty.
std::int64_t occurrences(std::string_view text, std::string_view part);

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
