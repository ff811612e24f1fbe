// SPDX-License-Identifier: Apache-2.0
// A graph of one node, to ask an operator about: sizes in, checked node out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/graph/op.h"

namespace fl::test {

struct OneNode {
    graph::Graph graph;

    explicit OneNode(std::string op) {
        graph.layerCount = 1;
        graph.vocabSize = 1000;
        graph::Node node;
        node.op = std::move(op);
        node.layer = 0;
        node.site = "test";
        graph.nodes.push_back(std::move(node));
    }

    graph::Node& node() { return graph.nodes.front(); }
    const graph::OpDef& def() const { return *graph::findOp(graph.nodes.front().op); }

    OneNode& input(std::int64_t width, DType dtype = DType::F32) {
        node().inputs.push_back(value(width, dtype));
        return *this;
    }
    OneNode& output(std::int64_t width, DType dtype = DType::F32) {
        node().outputs.push_back(value(width, dtype));
        return *this;
    }
    OneNode& weight(Shape shape, graph::Split split = graph::Split::Replicate) {
        graph::Weight made;
        made.tensor = "w" + std::to_string(graph.weights.size());
        made.shape = shape;
        made.split = split;
        graph.weights.push_back(std::move(made));
        node().weights.push_back(static_cast<graph::WeightId>(graph.weights.size()) - 1);
        return *this;
    }
    OneNode& set(std::string_view key, graph::Attribute attribute) {
        node().set(key, std::move(attribute));
        return *this;
    }
    OneNode& state(graph::State::Kind kind, std::int64_t elements) {
        graph.states.assign(1, {"state", kind, elements, 0});
        node().state = 0;
        return *this;
    }

    // What is wrong, or "".
    std::string problem() const {
        const Status status = def().check(graph, graph.nodes.front());
        return status ? "" : status.error().message;
    }
    double flops(std::int64_t rows, double context) const {
        return def().cost(graph, graph.nodes.front(), {rows, context}).flops;
    }
    Result<graph::Placed> placed(const std::vector<graph::Placed>& inputs) const {
        return def().place(graph, graph.nodes.front(), inputs);
    }

private:
    graph::ValueId value(std::int64_t width, DType dtype) {
        graph::Value made;
        made.name = "v" + std::to_string(graph.values.size());
        made.width = width;
        made.dtype = dtype;
        graph.values.push_back(std::move(made));
        return static_cast<graph::ValueId>(graph.values.size()) - 1;
    }
};

}  // namespace fl::test
