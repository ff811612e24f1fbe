// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_name.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::checkpoint {

namespace {

// Ten times the longest name that a published model has.
constexpr std::size_t kMaxNameBytes = 4096;

bool isControl(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
}

// U+202A–202E and U+2066–2069 reorder what is shown, so that a name can look like another one.
bool hasDirectionOverride(std::string_view name) {
    constexpr std::array<std::string_view, 9> kOverrides = {
        "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
    return std::any_of(kOverrides.begin(), kOverrides.end(), [name](std::string_view mark) {
        return name.find(mark) != std::string_view::npos;
    });
}

}  // namespace

std::string tensorNameFault(std::string_view name) {
    if (name.empty())
        return "is empty";
    if (name.size() > kMaxNameBytes)
        return fmt::format("has {} bytes, more than {}", name.size(), kMaxNameBytes);
    if (std::any_of(name.begin(), name.end(), isControl))
        return "holds a control character";
    if (name.front() == '/' || name.starts_with("../") || name.find("/../") != std::string::npos)
        return "is a path";
    if (hasDirectionOverride(name))
        return "holds a text direction mark";
    return {};
}

std::string printable(std::string_view name) {
    constexpr std::size_t kShown = 100;
    std::string out;
    for (const char letter : name.substr(0, kShown)) {
        if (isControl(letter))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(letter));
        else
            out += letter;
    }
    // Not through the middle of a character.
    if (const std::size_t fault = utf8Fault(out); fault != std::string::npos)
        out.resize(fault);
    if (name.size() > kShown)
        out += "\u2026";
    return out;
}

}  // namespace fl::checkpoint
