// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/graph_builder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/graph/op.h"

namespace fl::recipe {

using graph::Graph;
using graph::Node;
using graph::Rows;
using graph::Split;
using graph::State;
using graph::Value;
using graph::Weight;
using graph::WeightKind;

namespace {

// Far above any model; keeps products of sizes away from overflow.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

Error wrong(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

Result<std::int64_t> size(const Json& table, std::string_view key, std::int64_t least = 1) {
    const Json& found = table[key];
    if (!found.isInteger())
        return wrong(fmt::format("'{}' must be a whole number, found {}", key, found.kindName()));
    const std::int64_t value = found.integer();
    if (value < least || value > kMaxSize)
        return wrong(
            fmt::format("'{}' must be from {} to {}, found {}", key, least, kMaxSize, value));
    return value;
}

// "{i}" stands for the layer.
std::string withLayer(std::string text, std::int64_t layer) {
    for (std::size_t at = text.find("{i}"); at != std::string::npos; at = text.find("{i}", at))
        text.replace(at, 3, std::to_string(layer));
    return text;
}

Result<std::string> layerText(const Json& table, std::string_view key, std::int64_t layer) {
    const std::string& text = table[key].string();
    if (text.empty())
        return wrong(fmt::format("'{}' must be a text", key));
    return withLayer(text, layer);
}

Result<std::string> layerText(const Json& table, std::string_view key) {
    return layerText(table, key, table["layer"].integer(-1));
}

// Enumerators by the names that dump() writes.
template <class T, std::size_t N>
Result<T> byName(const Json& word, std::string_view key, const std::array<T, N>& all) {
    std::vector<std::string> names;
    for (const T each : all) {
        if (name(each) == word.string())
            return each;
        names.emplace_back(name(each));
    }
    return wrong(
        fmt::format("'{}' must be one of {}, found '{}'", key, join(names, ", "), word.string()));
}

Result<Split> splitOf(const Json& word, std::string_view key) {
    constexpr std::array kAll = {Split::Replicate, Split::Column, Split::Row,
                                 Split::Vocab,     Split::Head,   Split::Expert};
    return byName(word, key, kAll);
}

Result<WeightKind> kindOf(const Json& word) {
    std::array<WeightKind, graph::kWeightKindCount> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<WeightKind>(i);
    return byName(word, "kind", all);
}

Result<Shape> shapeOf(const Json& list) {
    Shape shape;
    for (const Json& dim : list.items()) {
        if (!dim.isInteger() || dim.integer() < 1 || dim.integer() > kMaxSize)
            return wrong("'shape' must be a list of sizes, found " + list.dump());
        if (!shape.push(dim.integer()))
            return wrong("'shape' has too many dimensions");
    }
    if (shape.rank() == 0)
        return wrong("'shape' must be a list of sizes");
    return shape;
}

Result<std::vector<DType>> dtypesOf(const Json& list) {
    std::vector<DType> out;
    for (const Json& word : list.items()) {
        const auto dtype = dtypeFromName(word.string());
        if (!dtype)
            return wrong("'dtypes' must be a list of element types, found " + list.dump());
        out.push_back(*dtype);
    }
    return out;
}

Result<std::vector<graph::Companion>> companionsOf(const Json& table) {
    std::vector<graph::Companion> out;
    for (const Json& each : table["companions"].items()) {
        graph::Companion companion;
        FL_TRY(companion.tensor, layerText(each, "tensor", table["layer"].integer(-1)));
        if (each["shape"].size() > 0) {  // else one number
            FL_TRY(companion.shape, shapeOf(each["shape"]));
        }
        FL_TRY(companion.dtypes, dtypesOf(each["dtypes"]));
        out.push_back(std::move(companion));
    }
    return out;
}

// Members of the weight's own table: packing (a name), stored, per_element, dtypes, block_rows,
// block_columns, companions.
Result<graph::Packing> packingOf(const Json& table) {
    graph::Packing packing;
    packing.name = table["packing"].string();
    FL_TRY(packing.dtypes, dtypesOf(table["dtypes"]));
    FL_TRY(packing.companions, companionsOf(table));
    if (!table["stored"].isNull()) {
        FL_TRY(packing.shape, shapeOf(table["stored"]));
    }
    if (!table["per_element"].isNull()) {
        FL_TRY(const std::int64_t count, size(table, "per_element"));
        packing.perElement = static_cast<std::int32_t>(std::min<std::int64_t>(count, 64));
    }
    if (!table["block_rows"].isNull()) {
        FL_TRY(packing.blockRows, size(table, "block_rows"));
        FL_TRY(packing.blockColumns, size(table, "block_columns"));
    }
    return packing;
}

Result<Shape> segmentsOf(const Json& table, const Weight& weight) {
    if (table["segments"].isNull())
        return Shape();
    FL_TRY(const Shape segments, shapeOf(table["segments"]));
    std::int64_t sum = 0;
    for (const std::int64_t part : segments.dims())
        sum += part;
    const Shape& shape = weight.shape;
    if (sum != shape[0] && sum != shape[shape.rank() - 1])
        return wrong(fmt::format("'segments' must make up a dimension of {}, found {}",
                                 shape.text(), segments.text()));
    return segments;
}

Result<std::vector<std::int32_t>> idsOf(const Json& table,
                                        std::string_view key,
                                        std::size_t count) {
    std::vector<std::int32_t> ids;
    for (const Json& id : table[key].items()) {
        if (!id.isInteger() || id.integer() < 0 || id.integer() >= static_cast<std::int64_t>(count))
            return wrong(fmt::format("'{}' names something that does not exist", key));
        ids.push_back(static_cast<std::int32_t>(id.integer()));
    }
    return ids;
}

Result<graph::Attribute> attributeOf(const std::string& key, const Json& value) {
    if (value.isInteger())
        return graph::Attribute(value.integer());
    if (value.isNumber())
        return graph::Attribute(value.number());
    if (value.isString())
        return graph::Attribute(value.string());
    std::vector<double> numbers;
    for (const Json& item : value.items()) {
        if (!item.isNumber())
            return wrong(fmt::format("attribute '{}' must be a list of numbers", key));
        numbers.push_back(item.number());
    }
    if (!numbers.empty())
        return graph::Attribute(std::move(numbers));
    return wrong(fmt::format("attribute '{}' must be a number, a text or a list of numbers", key));
}

int layerOf(const Json& table) {
    return static_cast<int>(std::clamp<std::int64_t>(table["layer"].integer(-1), -1, 1'000'000));
}

// A key may be as long as the file.
std::string shortKey(const std::string& key) {
    constexpr std::size_t kMost = 200;
    return key.size() <= kMost ? key : fmt::format("{}… ({} bytes)", key.substr(0, 40), key.size());
}

Error unknownOperator(const std::string& op) {
    std::vector<std::string> names;
    for (const graph::OpDef& each : graph::opList())
        names.emplace_back(each.name);
    return wrong("unknown operator '" + op + "'" + nearest(op, names));
}

}  // namespace

GraphBuilder::GraphBuilder(std::string model, const checkpoint::Inventory* inventory)
    : inventory_(inventory) {
    graph_.model = std::move(model);
}

void GraphBuilder::bindTo(LuaState& state) {
    using Method = Result<Json> (GraphBuilder::*)(const Json&);
    const std::array<std::pair<const char*, Method>, 10> kMethods = {{
        {"model", &GraphBuilder::model},
        {"weight", &GraphBuilder::weight},
        {"value", &GraphBuilder::value},
        {"state", &GraphBuilder::state},
        {"node", &GraphBuilder::node},
        {"output", &GraphBuilder::output},
        {"ignore", &GraphBuilder::ignore},
        {"has", &GraphBuilder::has},
        {"shape", &GraphBuilder::shape},
        {"problem", &GraphBuilder::problem},
    }};
    for (const auto& [name, method] : kMethods)
        state.bind(name, [this, call = method](const Json& table) { return (this->*call)(table); });
}

Result<Graph> GraphBuilder::take() {
    if (graph_.layerCount == 0)
        return wrong("the recipe never called host.model");
    if (graph_.output == graph::kNone)
        return wrong("the recipe never called host.output");
    return std::move(graph_);
}

Result<Json> GraphBuilder::model(const Json& table) {
    FL_TRY(const std::int64_t layers, size(table, "layers"));
    if (layers > 100'000)
        return wrong(fmt::format("{} layers are more than any model has", layers));
    graph_.layerCount = static_cast<int>(layers);
    FL_TRY(graph_.hiddenSize, size(table, "hidden"));
    FL_TRY(graph_.vocabSize, size(table, "vocab"));
    FL_TRY(graph_.contextLength, size(table, "context"));
    if (!table["image_patches"].isNull()) {
        FL_TRY(graph_.imagePatches, size(table, "image_patches"));
    }
    return Json();
}

Result<Weight> GraphBuilder::readWeight(const Json& table) const {
    Weight weight;
    FL_TRY(weight.tensor, layerText(table, "tensor"));
    FL_TRY(weight.shape, shapeOf(table["shape"]));
    FL_TRY(weight.split, splitOf(table["split"], "split"));
    FL_TRY(weight.kind, kindOf(table["kind"]));
    weight.layer = layerOf(table);
    weight.shareable = table["shareable"].boolean();
    weight.table = table["table"].boolean();
    FL_TRY(weight.packing, packingOf(table));
    FL_TRY(const Shape segments, segmentsOf(table, weight));
    weight.segments.assign(segments.dims().begin(), segments.dims().end());
    if (!table["heads"].isNull()) {
        FL_TRY(weight.heads, size(table, "heads"));
    }
    if (table["experts"].isNull())
        return weight;
    FL_TRY(const std::int64_t experts, size(table, "experts"));
    if (experts > 1'000'000)
        return wrong(fmt::format("{} experts are more than any model has", experts));
    weight.experts = static_cast<std::int32_t>(experts);
    FL_TRY(weight.expertSplit, splitOf(table["each"], "each"));
    return weight;
}

Result<Json> GraphBuilder::weight(const Json& table) {
    FL_TRY(Weight weight, readWeight(table));
    if (table["declared"].boolean()) {
        graph_.declared.push_back(std::move(weight));
        return Json();
    }
    const auto next = static_cast<graph::WeightId>(graph_.weights.size());
    const auto [place, isNew] = weightIds_.try_emplace(weight.tensor, next);
    if (isNew) {
        graph_.weights.push_back(std::move(weight));
    } else if (graph_.weights[static_cast<std::size_t>(place->second)].shape != weight.shape) {
        return wrong("weight " + weight.tensor + " was declared before with another shape");
    }
    return Json(std::int64_t{place->second});
}

Result<Json> GraphBuilder::value(const Json& table) {
    Value value;
    FL_TRY(value.name, layerText(table, "name"));
    FL_TRY(value.width, size(table, "width"));
    if (table["rows"].string() == "sequences")
        value.rows = Rows::Sequences;
    else if (table["rows"].string() == "patches")
        value.rows = Rows::Patches;
    else if (!table["rows"].isNull())
        return wrong("'rows' must be sequences or patches, or absent for tokens");
    if (table["dtype"].string() == "I32")
        value.dtype = DType::I32;
    value.tap = withLayer(table["tap"].string(), table["layer"].integer(-1));
    graph_.values.push_back(std::move(value));
    return Json(static_cast<std::int64_t>(graph_.values.size()) - 1);
}

Result<Json> GraphBuilder::state(const Json& table) {
    State state;
    FL_TRY(state.name, layerText(table, "name"));
    FL_TRY(state.elements, size(table, "elements"));
    state.kind = table["kind"].string() == "fixed" ? State::Kind::Fixed : State::Kind::Paged;
    if (!table["dtype"].isNull()) {
        state.dtype = dtypeFromName(table["dtype"].string());
        if (!state.dtype)
            return wrong("'dtype' must be an element type");
    }
    if (!table["window"].isNull()) {
        FL_TRY(state.window, size(table, "window", 0));
    }
    state.layer = layerOf(table);
    graph_.states.push_back(std::move(state));
    return Json(static_cast<std::int64_t>(graph_.states.size()) - 1);
}

Result<Json> GraphBuilder::node(const Json& table) {
    Node node;
    node.op = table["op"].string();
    const graph::OpDef* op = graph::findOp(node.op);
    if (!op)
        return unknownOperator(node.op);
    FL_TRY(node.inputs, idsOf(table, "inputs", graph_.values.size()));
    FL_TRY(node.outputs, idsOf(table, "outputs", graph_.values.size()));
    FL_TRY(node.weights, idsOf(table, "weights", graph_.weights.size()));
    const std::int64_t state = table["state"].integer(graph::kNone);
    if (state < graph::kNone || state >= static_cast<std::int64_t>(graph_.states.size()))
        return wrong("'state' names something that does not exist");
    node.state = static_cast<graph::StateId>(state);
    for (const auto& [key, value] : table["attributes"].members()) {
        FL_TRY(auto attribute, attributeOf(key, value));
        node.attributes.emplace_back(key, std::move(attribute));
    }
    node.layer = layerOf(table);
    node.site = table["site"].string();
    FL_DO(op->check(graph_, node));
    graph_.nodes.push_back(std::move(node));
    return Json();
}

Result<Json> GraphBuilder::output(const Json& id) {
    if (!id.isInteger() || id.integer() < 0 ||
        id.integer() >= static_cast<std::int64_t>(graph_.values.size()))
        return wrong("the output names something that does not exist");
    graph_.output = static_cast<graph::ValueId>(id.integer());
    return Json();
}

Result<Json> GraphBuilder::ignore(const Json& pattern) {
    if (pattern.string().empty())
        return wrong("expected a pattern of tensor names");
    graph_.ignoredTensors.push_back(pattern.string());
    return Json();
}

// Whether the checkpoint has a tensor of this name: several layouts are published of one model.
Result<Json> GraphBuilder::has(const Json& name) {
    return Json(inventory_ != nullptr && inventory_->find(name.string()) != nullptr);
}

// The shape that a tensor of this name has; null where there is none.
Result<Json> GraphBuilder::shape(const Json& name) {
    const auto* found = inventory_ ? inventory_->find(name.string()) : nullptr;
    if (!found)
        return Json();
    Json dims = Json::array();
    for (const std::int64_t dim : found->shape.dims())
        dims.push(Json(dim));
    return dims;
}

Result<Json> GraphBuilder::problem(const Json& table) {
    Finding finding;
    finding.code = table["code"].string();
    finding.stage = "inspect";
    finding.key = shortKey(table["key"].string());
    finding.expected = table["expected"].string();
    finding.found = table["found"].string();
    // The checkpoint is not at fault where only this version cannot compute it.
    if (table["severity"].string() == "warning" || finding.code == "config-unsupported")
        finding.severity = Severity::Warning;
    if (finding.code == "config-key-unknown") {
        finding.message = "configuration key '" + finding.key + "' is not known to recipe " +
                          graph_.model + " and might change what the model computes";
        finding.remedy = "read the key in the recipe, or declare it harmless there with c.ignore";
    } else if (finding.code == "config-key-missing") {
        finding.message = "configuration key '" + finding.key + "' is missing";
        finding.remedy = "complete the configuration";
    } else if (finding.code == "config-unsupported") {
        finding.message = "configuration key '" + finding.key + "' has a value that recipe " +
                          graph_.model + " cannot honour";
        finding.remedy = "use a recipe that knows this value";
    } else {
        finding.message =
            "configuration key '" + finding.key + "' has a value that cannot be right";
        finding.remedy = "correct the configuration, or fetch it again";
    }
    for (const Json& place : table["places"].items())
        finding.examples.push_back(place.string());
    problems_.push_back(std::move(finding));
    return Json();
}

}  // namespace fl::recipe
