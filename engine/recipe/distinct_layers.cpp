// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/distinct_layers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

namespace fl::recipe {

namespace {

using graph::Weight;
using graph::WeightKind;

struct Place {
    int layer = 0;
    std::string_view suffix;
};

bool isList(std::string_view word) {
    constexpr std::array<std::string_view, 4> kLists = {"layers", "blocks", "blk", "mtp"};
    return std::find(kLists.begin(), kLists.end(), word) != kLists.end();
}

// The number behind a list of layers in a name, and what stands behind it.
std::optional<Place> placeOf(std::string_view name) {
    std::string_view before;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t end = std::min(name.find('.', at), name.size());
        const std::string_view word = name.substr(at, end - at);
        int number = 0;
        const char* last = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), last, number);
        if (isList(before) && error == std::errc() && stop == last && end < name.size())
            return Place{number, name.substr(end + 1)};
        before = word;
        at = end + 1;
    }
    return std::nullopt;
}

const char* partOf(WeightKind kind) {
    switch (kind) {
        case WeightKind::Mtp:
            return "mtp";
        case WeightKind::Vision:
            return "vision";
        case WeightKind::Projector:
            return nullptr;
        default:
            return "text";
    }
}

class Layers {
public:
    void add(const Weight& weight, std::string_view dtype) {
        const char* part = partOf(weight.kind);
        const auto place = placeOf(weight.tensor);
        if (part && place)
            texts_[{part, place->layer}] +=
                fmt::format("{} {} {}\n", place->suffix, dtype, weight.storedShape().text());
    }

    std::map<std::string, std::int64_t> count() const {
        std::set<std::pair<std::string, std::string>> distinct;
        for (const auto& [key, text] : texts_)
            distinct.emplace(key.first, text);
        std::map<std::string, std::int64_t> out;
        for (const auto& [part, text] : distinct)
            ++out[part];
        return out;
    }

private:
    // Recipes declare equal layers in the same order.
    std::map<std::pair<std::string, int>, std::string> texts_;
};

}  // namespace

std::map<std::string, std::int64_t> distinctLayers(const Model& model) {
    Layers layers;
    for (std::size_t id = 0; id < model.graph.weights.size(); ++id) {
        const bool known = id < model.stored.size() && model.stored[id].bytesPerTensor > 0;
        layers.add(model.graph.weights[id], known ? name(model.stored[id].dtype) : "");
    }
    for (const Weight& weight : model.graph.declared)
        layers.add(weight, "");
    return layers.count();
}

}  // namespace fl::recipe
