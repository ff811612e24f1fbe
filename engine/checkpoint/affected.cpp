// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/affected.h"

#include <charconv>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/checkpoint/tensor_name.h"

namespace fl::checkpoint {

int layerOf(std::string_view name) {
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        int number = 0;
        const char* const last = name.data() + end;
        const auto [stop, problem] = std::from_chars(name.data() + begin, last, number);
        if (problem == std::errc() && stop == last && end > begin && number >= 0)
            return number;
        begin = end + 1;
    }
    return -1;
}

std::string numberRanges(std::span<const int> numbers) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < numbers.size();) {
        std::size_t end = begin + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            ++end;
        parts.push_back(end - begin == 1
                            ? std::to_string(numbers[begin])
                            : fmt::format("{}\u2013{}", numbers[begin], numbers[end - 1]));
        begin = end;
    }
    return join(parts, ", ");
}

std::string affected(std::span<const std::string_view> names) {
    std::set<int> layers;
    std::vector<std::string> others;
    constexpr std::size_t kShown = 3;
    std::size_t without = 0;
    for (const std::string_view name : names) {
        const int layer = layerOf(name);
        if (layer >= 0)
            layers.insert(layer);
        else if (++without <= kShown)
            others.push_back(printable(name));
    }
    std::string out =
        fmt::format("{} tensor{}", formatCount(static_cast<std::int64_t>(names.size())),
                    names.size() == 1 ? "" : "s");
    if (!layers.empty()) {
        out += fmt::format(" of layer{} {}", layers.size() == 1 ? "" : "s",
                           numberRanges(std::vector(layers.begin(), layers.end())));
    }
    if (!others.empty()) {
        out += fmt::format("{} {}{}", layers.empty() ? ":" : " and", join(others, ", "),
                           without > kShown ? ", \u2026" : "");
    }
    return out;
}

}  // namespace fl::checkpoint
