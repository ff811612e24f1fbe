// SPDX-License-Identifier: Apache-2.0
// The text form of a graph. A layer is written without its own number, so that equal layers have
// equal text: that is how they are folded and counted.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/graph/graph.h"

namespace fl::graph {

namespace {

// "model.layers.3.q" → "model.layers.{i}.q": the layer's number where it stands between dots.
std::string withoutNumber(const std::string& name, int layer) {
    const std::string number = std::to_string(layer);
    std::string out;
    std::size_t at = 0;
    while (at < name.size()) {
        const bool starts =
            at > 0 && name[at - 1] == '.' && name.compare(at, number.size(), number) == 0;
        const std::size_t behind = at + number.size();
        if (starts && (behind == name.size() || name[behind] == '.')) {
            out += "{i}";
            at = behind;
        } else {
            out += name[at++];
        }
    }
    return out;
}

std::string attributeText(const Attribute& attribute) {
    if (const auto* whole = std::get_if<std::int64_t>(&attribute))
        return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&attribute))
        return fmt::format("{:g}", *real);
    if (const auto* word = std::get_if<std::string>(&attribute))
        return *word;
    std::string out = "[";
    for (const double value : std::get<std::vector<double>>(attribute))
        out += fmt::format("{}{:g}", out.size() > 1 ? " " : "", value);
    return out + "]";
}

// Writes the nodes of one layer (or of what lies before or behind the layers).
class LayerText {
public:
    LayerText(const Graph& graph, int layer) : graph_(graph), layer_(layer) {}

    std::string write() {
        for (const Node& node : graph_.nodes) {
            if (node.layer == layer_)
                addNode(node);
        }
        return text_;
    }

private:
    std::string valueName(ValueId id) const {
        return withoutNumber(graph_.values[static_cast<std::size_t>(id)].name, layer_);
    }

    // What comes from outside the layer is named by its place: the layer before may be called
    // anything.
    std::string inputName(ValueId id) {
        if (written_.count(id) > 0 || !inLayers())
            return valueName(id);
        const auto [place, isNew] = outside_.try_emplace(id, outside_.size());
        return place->second == 0 ? "in" : "in" + std::to_string(place->second);
    }

    bool inLayers() const { return layer_ >= 0 && layer_ < graph_.layerCount; }

    void addNode(const Node& node) {
        for (const WeightId id : node.weights)
            addWeight(id);
        if (node.state != kNone)
            addState(graph_.states[static_cast<std::size_t>(node.state)]);
        std::string inputs;
        for (const ValueId id : node.inputs)
            inputs += " " + inputName(id);
        std::string outputs;
        for (const ValueId id : node.outputs) {
            written_.insert(id);
            outputs += (outputs.empty() ? "" : " ") + outputText(id);
        }
        text_ += fmt::format("  {}: {} = {}{}", node.site, outputs, node.op, inputs);
        for (const WeightId id : node.weights) {
            const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
            text_ += " @" + withoutNumber(weight.tensor, layer_);
        }
        for (const auto& [key, value] : node.attributes)
            text_ += fmt::format(" {}={}", key, attributeText(value));
        text_ += "\n";
    }

    std::string outputText(ValueId id) const {
        const Value& value = graph_.values[static_cast<std::size_t>(id)];
        std::string out = fmt::format("{}[{}]", valueName(id), value.width);
        if (value.rows == Rows::Sequences)
            out += "/sequences";
        if (value.rows == Rows::GroupTokens)
            out += "/group";
        if (value.rows == Rows::Patches)
            out += "/patches";
        if (value.dtype != DType::F32)
            out += fmt::format(":{}", name(value.dtype));
        if (!value.tap.empty())
            out += "!";
        return out;
    }

    void addWeight(WeightId id) {
        if (!weights_.insert(id).second)
            return;
        const Weight& weight = graph_.weights[static_cast<std::size_t>(id)];
        text_ += fmt::format("  weight {} {} {} {}", withoutNumber(weight.tensor, layer_),
                             weight.shape.text(), name(weight.split), name(weight.kind));
        if (weight.experts > 0)
            text_ += fmt::format(" experts={} each={}", weight.experts, name(weight.expertSplit));
        if (weight.heads > 0)
            text_ += fmt::format(" heads={}", weight.heads);
        if (weight.shareable)
            text_ += " shareable";
        if (!weight.segments.empty())
            text_ += fmt::format(" segments={}", fmt::join(weight.segments, "+"));
        text_ += packingText(weight.packing) + "\n";
    }

    std::string packingText(const Packing& packing) const {
        if (packing.plain())
            return "";
        std::string out = fmt::format(" ({}", packing.name);
        if (packing.shape.rank() > 0)
            out += " as " + packing.shape.text();
        for (const Companion& each : packing.companions)
            out += fmt::format(", {} {}", withoutNumber(each.tensor, layer_), each.shape.text());
        return out + ")";
    }

    void addState(const State& state) {
        text_ += fmt::format("  state {} {} {}", withoutNumber(state.name, layer_),
                             state.kind == State::Kind::Paged ? "paged" : "fixed", state.elements);
        if (state.dtype)
            text_ += fmt::format(" {}", name(*state.dtype));
        if (state.window > 0)
            text_ += fmt::format(" window={}", state.window);
        text_ += "\n";
    }

    const Graph& graph_;
    int layer_;
    std::string text_;
    std::set<ValueId> written_;
    std::set<WeightId> weights_;
    std::map<ValueId, std::size_t> outside_;
};

}  // namespace

std::string dump(const Graph& graph) {
    std::string out =
        fmt::format("model {}: {} layers, hidden {}, vocabulary {}, context {}\n", graph.model,
                    graph.layerCount, graph.hiddenSize, graph.vocabSize, graph.contextLength);
    for (const std::string& pattern : graph.ignoredTensors)
        out += "ignored " + pattern + "\n";
    for (const Weight& weight : graph.declared)
        out += fmt::format("declared {} {} {}\n", weight.tensor, weight.shape.text(),
                           name(weight.kind));
    out += "before the layers\n" + LayerText(graph, -1).write();
    std::map<std::string, int> firstWithText;
    for (int layer = 0; layer < graph.layerCount;) {
        const std::string text = LayerText(graph, layer).write();
        const auto [place, isNew] = firstWithText.try_emplace(text, layer);
        int end = layer + 1;
        while (!isNew && end < graph.layerCount && LayerText(graph, end).write() == text)
            ++end;
        if (isNew)
            out += fmt::format("layer {}\n{}", layer, text);
        else if (end == layer + 1)
            out += fmt::format("layer {}: as layer {}\n", layer, place->second);
        else
            out += fmt::format("layers {}–{}: as layer {}\n", layer, end - 1, place->second);
        layer = end;
    }
    return out + "behind the layers\n" + LayerText(graph, graph.layerCount).write();
}

std::vector<int> layerShapes(const Graph& graph) {
    std::map<std::string, int> known;
    std::vector<int> out;
    for (int layer = 0; layer < graph.layerCount; ++layer) {
        const int next = static_cast<int>(known.size());
        out.push_back(known.try_emplace(LayerText(graph, layer).write(), next).first->second);
    }
    return out;
}

int distinctLayers(const Graph& graph) {
    const std::vector<int> shapes = layerShapes(graph);
    return static_cast<int>(std::set<int>(shapes.begin(), shapes.end()).size());
}

}  // namespace fl::graph
