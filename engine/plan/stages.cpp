// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/stages.h"

#include <algorithm>
#include <numeric>

namespace fl::plan {

using graph::Graph;

namespace {

struct LayerBytes {
    std::int64_t before = 0;
    std::vector<std::int64_t> layers;
    std::int64_t behind = 0;
};

// A weight counts where a node uses it: tied embeddings count on both ends.
LayerBytes bytesByLayer(const Graph& graph, const std::vector<StoredWeight>& stored) {
    LayerBytes out;
    out.layers.assign(static_cast<std::size_t>(graph.layerCount), 0);
    for (const graph::Node& node : graph.nodes) {
        std::int64_t bytes = 0;
        for (const graph::WeightId id : node.weights) {
            bytes += stored[static_cast<std::size_t>(id)].bytesPerTensor *
                     graph.weights[static_cast<std::size_t>(id)].parts();
        }
        if (node.layer < 0)
            out.before += bytes;
        else if (node.layer >= graph.layerCount)
            out.behind += bytes;
        else
            out.layers[static_cast<std::size_t>(node.layer)] += bytes;
    }
    return out;
}

// Layers per stage if no stage may exceed `limit`; empty if pp stages do not suffice. Every later
// stage keeps at least one layer.
std::vector<int> fill(const LayerBytes& bytes, int pp, std::int64_t limit) {
    const int count = static_cast<int>(bytes.layers.size());
    std::vector<int> out;
    int next = 0;
    for (int stage = 0; stage < pp; ++stage) {
        std::int64_t sum = stage == 0 ? bytes.before : 0;
        const int mustLeave = pp - stage - 1;
        int taken = 0;
        while (next < count - mustLeave) {
            const bool lastLayer = next == count - 1;
            const std::int64_t more =
                bytes.layers[static_cast<std::size_t>(next)] + (lastLayer ? bytes.behind : 0);
            if (sum + more > limit)
                break;
            sum += more;
            ++next;
            ++taken;
        }
        if (taken == 0)
            return {};
        out.push_back(taken);
    }
    return next == count ? out : std::vector<int>{};
}

std::vector<int> balanced(const LayerBytes& bytes, int pp) {
    std::int64_t low = 0;
    std::int64_t high =
        std::accumulate(bytes.layers.begin(), bytes.layers.end(), bytes.before + bytes.behind);
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (fill(bytes, pp, middle).empty())
            low = middle + 1;
        else
            high = middle;
    }
    return fill(bytes, pp, low);
}

}  // namespace

std::vector<Stage> makeStages(const Graph& graph,
                              const std::vector<StoredWeight>& stored,
                              int pp,
                              const std::vector<int>& layers) {
    const std::vector<int> counts =
        layers.empty() ? balanced(bytesByLayer(graph, stored), pp) : layers;
    std::vector<Stage> stages;
    int next = 0;
    for (const int count : counts) {
        stages.push_back({next, next + count, stages.empty(), false});
        next += count;
    }
    if (!stages.empty())
        stages.back().answers = true;
    return stages;
}

}  // namespace fl::plan
