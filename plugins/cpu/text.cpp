// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace fl::plugins::cpu {

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
// Falling, so that the first one that fits is the largest.
constexpr std::array kUnits = {
    Unit{"TiB", std::int64_t{1} << 40}, Unit{"GiB", std::int64_t{1} << 30},
    Unit{"MiB", std::int64_t{1} << 20}, Unit{"KiB", std::int64_t{1} << 10}, Unit{"B", 1}};

static const Unit& unitOf(std::int64_t bytes) {
    for (const Unit& unit : kUnits) {
        if (bytes >= unit.bytes)
            return unit;
    }
    return kUnits.back();
}

static double inUnits(std::int64_t bytes, const Unit& unit) {
    return static_cast<double>(bytes) / static_cast<double>(unit.bytes);
}

std::string formatBytes(std::int64_t bytes) {
    const Unit& unit = unitOf(bytes);
    const int decimals = bytes % unit.bytes == 0 ? 0 : 1;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, inUnits(bytes, unit),
                  unit.name.data());
    return text.data();
}

std::string formatShare(std::int64_t bytes, std::int64_t ofBytes) {
    const Unit& unit = unitOf(ofBytes);
    const int decimals = unit.bytes == 1 ? 0 : 1;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f of %.*f %s", decimals, inUnits(bytes, unit),
                  decimals, inUnits(ofBytes, unit), unit.name.data());
    return text.data();
}

std::optional<std::int64_t> parseInteger(std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 0)
        return std::nullopt;
    return value;
}

std::optional<std::int64_t> parseBytes(std::string_view text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const auto value = parseInteger(text.substr(0, digits));
    if (!value)
        return std::nullopt;
    std::string_view unitName = digits == std::string_view::npos ? "B" : text.substr(digits);
    unitName.remove_prefix(std::min(unitName.find_first_not_of(' '), unitName.size()));
    for (const Unit& unit : kUnits) {
        std::int64_t bytes = 0;
        if (unit.name == unitName && !__builtin_mul_overflow(*value, unit.bytes, &bytes))
            return bytes;
    }
    return std::nullopt;
}

}  // namespace fl::plugins::cpu
