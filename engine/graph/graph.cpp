// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <algorithm>
#include <array>

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
    constexpr std::array<std::string_view, kWeightKindCount> kNames = {
        "embedding", "attention", "dense_mlp", "routed_experts", "shared_experts",
        "router",    "norms",     "head",      "residual",       "latent_projections",
        "vision",    "projector", "mtp",       "other",
    };
    return kNames[static_cast<std::size_t>(kind)];
}

bool Weight::stacked() const {
    return experts > 0 && tensor.find("{}") == std::string::npos;
}

static std::string withExpert(const std::string& family, std::int32_t expert) {
    const std::size_t place = family.find("{}");
    if (place == std::string::npos)
        return family;
    return family.substr(0, place) + std::to_string(expert) + family.substr(place + 2);
}

std::string Weight::expertName(std::int32_t expert) const {
    return experts == 0 ? tensor : withExpert(tensor, expert);
}

std::string Weight::expertName(std::int32_t expert, const Companion& companion) const {
    return experts == 0 ? companion.tensor : withExpert(companion.tensor, expert);
}

static Shape stackedShape(const Weight& weight, const Shape& each) {
    if (!weight.stacked())
        return each;
    Shape whole;
    whole.push(weight.experts);
    for (const std::int64_t dim : each.dims())
        whole.push(dim);
    return whole;
}

Shape Weight::storedShape() const {
    return stackedShape(*this, packing.shape.rank() > 0 ? packing.shape : shape);
}

Shape Weight::storedShape(const Companion& companion) const {
    return stackedShape(*this, companion.shape);
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
