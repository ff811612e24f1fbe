// SPDX-License-Identifier: Apache-2.0
#include "engine/base/visible.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

namespace fl {

namespace {

bool isControl(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 || code == 0x7f;
}

// Unicode's Bidi_Control, which reorder what is shown, so that a name can look like another one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kDirectionMarks = {{
    {"\u061c", "\\u061c"},
    {"\u200e", "\\u200e"},
    {"\u200f", "\\u200f"},
    {"\u202a", "\\u202a"},
    {"\u202b", "\\u202b"},
    {"\u202c", "\\u202c"},
    {"\u202d", "\\u202d"},
    {"\u202e", "\\u202e"},
    {"\u2066", "\\u2066"},
    {"\u2067", "\\u2067"},
    {"\u2068", "\\u2068"},
    {"\u2069", "\\u2069"},
}};

}  // namespace

bool hasControl(std::string_view text) {
    return std::any_of(text.begin(), text.end(), isControl);
}

bool hasDirectionMark(std::string_view text) {
    return std::any_of(kDirectionMarks.begin(), kDirectionMarks.end(), [text](const auto& mark) {
        return text.find(mark.first) != std::string_view::npos;
    });
}

std::string visible(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto mark =
            std::find_if(kDirectionMarks.begin(), kDirectionMarks.end(),
                         [text](const auto& each) { return text.starts_with(each.first); });
        if (mark != kDirectionMarks.end()) {
            out += mark->second;
            text.remove_prefix(mark->first.size());
            continue;
        }
        if (isControl(text.front()))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(text.front()));
        else
            out += text.front();
        text.remove_prefix(1);
    }
    return out;
}

}  // namespace fl
