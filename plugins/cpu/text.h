// SPDX-License-Identifier: Apache-2.0
// Sizes as people write and read them. A plugin stands alone, so it has its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fl::plugins::cpu {

std::string formatBytes(std::int64_t bytes);  // "1.8 GiB", "12 B"
// "1.8 of 2.0 GiB": both in the unit of the second.
std::string formatShare(std::int64_t bytes, std::int64_t ofBytes);
std::optional<std::int64_t> parseBytes(std::string_view text);      // "2GiB", "512 MiB", "4096"
std::optional<std::int64_t> parseInteger(std::string_view digits);  // decimal, ≥ 0, whole text

}  // namespace fl::plugins::cpu
