// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <algorithm>

namespace fl::graph {

std::string_view name(Split split) {
    switch (split) {
        case Split::Replicate:
            return "replicate";
        case Split::Column:
            return "column";
        case Split::Row:
            return "row";
        case Split::Vocab:
            return "vocab";
        case Split::Head:
            return "head";
        case Split::Expert:
            return "expert";
    }
    return "replicate";
}

std::string_view name(WeightKind kind) {
    switch (kind) {
        case WeightKind::Embedding:
            return "embedding";
        case WeightKind::Attention:
            return "attention";
        case WeightKind::Mlp:
            return "mlp";
        case WeightKind::Expert:
            return "expert";
        case WeightKind::Router:
            return "router";
        case WeightKind::Norm:
            return "norm";
        case WeightKind::Head:
            return "head";
        case WeightKind::Other:
            return "other";
    }
    return "other";
}

bool Weight::stacked() const {
    return experts > 0 && tensor.find("{}") == std::string::npos;
}

std::string Weight::expertName(std::int32_t expert) const {
    const std::size_t place = tensor.find("{}");
    if (experts == 0 || place == std::string::npos)
        return tensor;
    return tensor.substr(0, place) + std::to_string(expert) + tensor.substr(place + 2);
}

const Attribute* Node::find(std::string_view key) const {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(),
                     [key](const auto& attribute) { return attribute.first == key; });
    return found == attributes.end() ? nullptr : &found->second;
}

void Node::set(std::string_view key, Attribute value) {
    for (auto& [name, current] : attributes) {
        if (name == key) {
            current = std::move(value);
            return;
        }
    }
    attributes.emplace_back(key, std::move(value));
}

std::int64_t Node::integer(std::string_view key) const {
    return *std::get_if<std::int64_t>(find(key));
}

// Whole numbers stand for reals too: a config may say 10000 or 10000.0.
double Node::real(std::string_view key) const {
    const Attribute* attribute = find(key);
    if (const auto* whole = std::get_if<std::int64_t>(attribute))
        return static_cast<double>(*whole);
    return *std::get_if<double>(attribute);
}

const std::string& Node::text(std::string_view key) const {
    return *std::get_if<std::string>(find(key));
}

const std::vector<double>& Node::reals(std::string_view key) const {
    return *std::get_if<std::vector<double>>(find(key));
}

}  // namespace fl::graph
