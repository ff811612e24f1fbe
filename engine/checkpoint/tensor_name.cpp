// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_name.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/base/visible.h"

namespace fl::checkpoint {

namespace {

// Ten times the longest name that a published model has.
constexpr std::size_t kMaxNameBytes = 4096;

}  // namespace

std::string tensorNameFault(std::string_view name) {
    if (name.empty())
        return "is empty";
    if (name.size() > kMaxNameBytes)
        return fmt::format("has {} bytes, more than {}", name.size(), kMaxNameBytes);
    if (hasControl(name))
        return "holds a control character";
    if (name.front() == '/' || name.starts_with("../") || name.find("/../") != std::string::npos)
        return "is a path";
    if (hasDirectionMark(name))
        return "holds a text direction mark";
    return {};
}

std::string printable(std::string_view name) {
    constexpr std::size_t kShown = 100;
    std::string out(name.substr(0, kShown));
    // Not through the middle of a character.
    if (const std::size_t fault = utf8Fault(out); fault != std::string::npos)
        out.resize(fault);
    out = visible(out);
    if (name.size() > kShown)
        out += "\u2026";
    return out;
}

bool isScaleName(std::string_view name) {
    constexpr std::array<std::string_view, 6> kEndings = {"_scale", "_scale_inv", "_scales",
                                                          ".scale", ".scales",    "_scale_2"};
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [name](std::string_view end) { return name.ends_with(end); });
}

}  // namespace fl::checkpoint
