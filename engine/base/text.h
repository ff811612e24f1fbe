// SPDX-License-Identifier: Apache-2.0
// How numbers, sizes and names are written for people, and read from them; one place so that the
// window, the terminal and the log say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl {

std::string formatBytes(std::int64_t bytes);  // "61.2 GiB", "896 KiB", "12 B"
std::string formatCount(std::int64_t count);  // "131,072"
// "0.31 s", "23.7 ms", "11.0 µs", "1 min 44 s", "2 h 05 min"
std::string formatDuration(double seconds);
Result<std::int64_t> parseBytes(std::string_view text);    // "2GiB", "512 MiB", "4096"
Result<double> parseDuration(std::string_view text);       // "200ms", "2 s", "5min" → seconds
Result<std::int64_t> parseInteger(std::string_view text);  // whole text, decimal

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);

// Index of the first byte that is not valid UTF-8 (RFC 3629: no overlong forms, no surrogates), or
// npos.
std::size_t utf8Fault(std::string_view text);

// Up to three of `candidates` nearest to `word` by edit distance, for "unknown key X, did you
// mean …"; " (nearest: a, b, c)", or "" if nothing is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// Orders names as people count: "2" before "10". All names with one dotted prefix stand together.
bool naturalLess(std::string_view a, std::string_view b);

// Whole file as bytes; the error names it. Refuses more than `limit` bytes.
Result<std::string> readFile(const std::string& path, std::int64_t limit = std::int64_t{1} << 30);
// Writes to a sibling and renames, so that a kill leaves the old or the new file.
Status writeFile(const std::string& path, std::string_view content);

}  // namespace fl
