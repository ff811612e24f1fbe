// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/config_path.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::recipe {

namespace {

constexpr std::size_t kMaxShown = 140;

void setMember(Json& object, const std::string& key, Json value) {
    if (!value.isNull()) {
        object.set(key, std::move(value));
        return;
    }
    Json without = Json::object();
    for (const auto& [name, member] : object.members()) {
        if (name != key)
            without.append(name, member);
    }
    object = std::move(without);
}

std::string cutOff(std::string text) {
    if (text.size() <= kMaxShown)
        return text;
    std::size_t end = kMaxShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;  // not inside a character
    return text.substr(0, end) + "…";
}

// Whole numbers as people write them, not 1e+12.
std::string numberOrWord(const Json& value) {
    const double number = value.number();
    const bool whole = value.isNumber() && number == std::floor(number) && std::abs(number) < 1e16;
    if (value.isBigInteger())
        return cutOff(value.digits());
    if (whole && !value.isInteger())
        return fmt::format("{:.1f}", number);
    // What was stored in 32 bits is written as that.
    const auto single = static_cast<float>(number);
    const bool wasSingle = value.isNumber() && !value.isInteger() && double{single} == number;
    return wasSingle ? fmt::format("{}", single) : value.dump();
}

}  // namespace

const Json* findPath(const Json& config, std::string_view path) {
    if (const Json* const whole = config.find(path))
        return whole;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos)
        return nullptr;
    const Json* const inner = config.find(path.substr(0, dot));
    return inner ? findPath(*inner, path.substr(dot + 1)) : nullptr;
}

void setPath(Json& config, std::string_view path, Json value) {
    const std::size_t dot = path.find('.');
    const bool nested = dot != std::string_view::npos && !config.find(path) &&
                        (config.find(path.substr(0, dot)) || !path.starts_with("gguf."));
    if (!nested)
        return setMember(config, std::string(path), std::move(value));
    Json inner = config[path.substr(0, dot)];
    if (!inner.isObject())
        inner = Json::object();
    setPath(inner, path.substr(dot + 1), std::move(value));
    config.set(std::string(path.substr(0, dot)), std::move(inner));
}

std::string shown(const Json& value) {
    if (value.isString())
        return cutOff("'" + value.string() + "'");
    if (value.isObject())
        return value.size() == 0 ? "{}" : "an object";
    if (!value.isArray())
        return numberOrWord(value);
    std::vector<std::string> items;
    for (const Json& item : value.items()) {
        items.push_back(item.isArray() ? "a list" : shown(item));
        if (items.size() == 8 && value.size() > 9) {
            items.emplace_back("…");
            break;
        }
    }
    return "[" + cutOff(join(items, ", ")) + "]";
}

}  // namespace fl::recipe
