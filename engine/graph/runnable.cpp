// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/runnable.h"

#include <algorithm>
#include <utility>

#include "engine/graph/op.h"

namespace fl::graph {

namespace {

void addOnce(std::vector<std::string>& list, std::string item) {
    if (std::find(list.begin(), list.end(), item) == list.end())
        list.push_back(std::move(item));
}

}  // namespace

std::vector<std::string> missingKernels(const Graph& graph,
                                        const std::vector<StoredWeight>& stored) {
    std::vector<std::string> out;
    for (const Node& node : graph.nodes) {
        const OpDef* op = findOp(node.op);
        if (!op || !op->bind) {
            addOnce(out, "operator " + node.op);
            continue;
        }
        const std::string lacking = op->missing ? op->missing(graph, node) : "";
        if (!lacking.empty())
            addOnce(out, node.op + " with " + lacking);
    }
    for (const Weight& weight : graph.weights) {
        if (!weight.packing.plain())
            addOnce(out, "weights in " + weight.packing.name);
    }
    for (std::size_t id = 0; id < stored.size() && id < graph.weights.size(); ++id) {
        if (graph.weights[id].packing.plain() && !hasKernel(stored[id].dtype))
            addOnce(out, "weights in " + std::string(name(stored[id].dtype)));
    }
    return out;
}

bool hasKernel(DType dtype) {
    switch (dtype) {
        case DType::F32:
        case DType::F16:
        case DType::BF16:
        case DType::Q4_0:
        case DType::Q4_1:
        case DType::Q8_0:
        case DType::Q4_K:
        case DType::Q6_K:
            return true;
        default:
            return false;
    }
}

}  // namespace fl::graph
