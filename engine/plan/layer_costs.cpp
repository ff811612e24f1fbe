// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/layer_costs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/plan/partition.h"

namespace fl::plan {

using graph::Graph;
using graph::Node;

namespace {

constexpr double kWord = 4;  // bytes of a value that crosses an edge

// 0: before the layers, then one place for each, then behind them.
std::size_t placeOf(const Graph& graph, int layer) {
    return static_cast<std::size_t>(std::clamp(layer, -1, graph.layerCount) + 1);
}

// A value crosses every edge between the place that makes it and the last one that reads it.
void findCrossings(const Graph& graph, LayerKinds& kinds) {
    constexpr std::size_t kNever = static_cast<std::size_t>(-1);
    std::vector<std::size_t> made(graph.values.size(), kNever);
    std::vector<std::size_t> read(graph.values.size(), 0);
    for (const Node& node : graph.nodes) {
        const std::size_t place = placeOf(graph, node.layer);
        for (const graph::ValueId id : node.inputs)
            read[static_cast<std::size_t>(id)] = place;
        for (const graph::ValueId id : node.outputs) {
            std::size_t& first = made[static_cast<std::size_t>(id)];
            first = std::min(first, place);
        }
    }
    kinds.crossingWidth.assign(static_cast<std::size_t>(graph.layerCount) + 1, 0);
    kinds.crossingValues.assign(static_cast<std::size_t>(graph.layerCount) + 1, 0);
    for (std::size_t id = 0; id < made.size(); ++id) {
        for (std::size_t edge = made[id]; made[id] != kNever && edge < read[id]; ++edge) {
            kinds.crossingWidth[edge] += graph.values[id].width;
            ++kinds.crossingValues[edge];
        }
    }
}

// How the weights of each layer are stored, in the order of their use.
std::vector<std::vector<std::int64_t>> storedByLayer(const Graph& graph,
                                                     const std::vector<StoredWeight>& stored) {
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(graph.layerCount) + 2);
    for (const Node& node : graph.nodes) {
        for (const graph::WeightId id : node.weights) {
            const StoredWeight& weight = stored[static_cast<std::size_t>(id)];
            auto& list = out[placeOf(graph, node.layer)];
            list.push_back(static_cast<std::int64_t>(weight.dtype));
            list.push_back(weight.bytesPerTensor + weight.scaleBytesPerTensor);
        }
    }
    return out;
}

// The cost of one stage between two others, alone of its kind of plan.
class OneStage {
public:
    OneStage(const Graph& graph, const Partition& partition, const PlanOptions& options)
        : graph_(graph),
          partition_(partition) {
        plan_.mesh = partition.mesh();
        plan_.options = options;
        plan_.kvPagesPerReplica = pagesPerSequence(options) * options.maxSequences;
    }

    // The stage of layers [first, end): with neither end of the model, where others hold both.
    Result<RankCost> cost(int first, int end, bool embeds, bool answers, const std::string& kind) {
        plan_.stages.clear();
        if (!embeds)
            plan_.stages.push_back({0, first, true, false});
        plan_.stages.push_back({first, end, embeds, answers});
        if (!answers)
            plan_.stages.push_back({end, graph_.layerCount, false, true});
        plan_.mesh.pp = static_cast<int>(plan_.stages.size());
        const int index = embeds ? 0 : 1;
        return rankCost(partition_, plan_, {0, index, 0}, kind);
    }

private:
    const Graph& graph_;
    const Partition& partition_;
    Plan plan_;
};

// Weights that both ends of the model use.
std::int64_t tiedBytes(const Graph& graph, const Partition& partition) {
    const Stage begin{0, 0, true, false};
    const Stage end{graph.layerCount, graph.layerCount, false, true};
    const auto first = weightsOf(graph, begin, {});
    std::int64_t bytes = 0;
    for (const graph::WeightId id : weightsOf(graph, end, {})) {
        if (std::find(first.begin(), first.end(), id) == first.end())
            continue;
        const Slice slice = partition.slice(id, {});
        bytes += slice.bytes + slice.scaleBytes;
    }
    return bytes;
}

// Sums what adds up over layers and keeps the largest of what is used again by the next one.
class Sum {
public:
    void add(const RankCost& cost) {
        const Ledger& ledger = cost.ledger;
        const std::int64_t activations = ledger[Category::Activations];
        const std::int64_t buffers = ledger[Category::Communication];
        const std::int64_t context = ledger[Category::Context];
        bytes_ += ledger.total() - activations - buffers - context;
        activations_ = std::max(activations_, activations);
        buffers_ = std::max(buffers_, buffers);
        context_ = std::max(context_, context);
        const StageLoad more = loadOf(cost);
        load_.weightBytes += more.weightBytes;
        load_.kvBytes += more.kvBytes;
        load_.flops += more.flops;
        load_.chunkFlops += more.chunkFlops;
        load_.heldBytes += more.heldBytes;
        load_.operators += more.operators;
        for (const Traffic& traffic : cost.traffic) {
            if (traffic.group != "pp")  // depends on where stages begin
                addTraffic(traffic);
        }
    }
    void handOver(int values, double bytes) { load_.traffic.push_back({"pp", values, bytes}); }
    void holdOnce(std::int64_t bytes) {
        bytes_ -= bytes;
        load_.heldBytes -= static_cast<double>(bytes);
    }
    StageCost take() { return {bytes_ + activations_ + buffers_ + context_, std::move(load_)}; }

private:
    void addTraffic(const Traffic& more) {
        for (Traffic& traffic : load_.traffic) {
            if (traffic.group == more.group) {
                traffic.collectives += more.collectives;
                traffic.bytes += more.bytes;
                return;
            }
        }
        load_.traffic.push_back(more);
    }

    std::int64_t bytes_ = 0;
    std::int64_t activations_ = 0;
    std::int64_t buffers_ = 0;
    std::int64_t context_ = 0;
    StageLoad load_;
};

}  // namespace

LayerKinds layerKinds(const Graph& graph, const std::vector<StoredWeight>& stored) {
    LayerKinds kinds;
    findCrossings(graph, kinds);
    const std::vector<int> shapes = graph::layerShapes(graph);
    const auto weights = storedByLayer(graph, stored);
    using Key = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;
    std::map<Key, int> known;
    for (std::size_t layer = 0; layer < shapes.size(); ++layer) {
        const Key key{{shapes[layer], kinds.crossingWidth[layer], kinds.crossingWidth[layer + 1]},
                      weights[layer + 1]};
        const auto [place, isNew] = known.try_emplace(key, static_cast<int>(known.size()));
        if (isNew)
            kinds.first.push_back(static_cast<int>(layer));
        kinds.kindOf.push_back(place->second);
    }
    return kinds;
}

Result<LayerCosts> LayerCosts::make(const Graph& graph,
                                    const std::vector<StoredWeight>& stored,
                                    const LayerKinds& kinds,
                                    const Mesh& mesh,
                                    const PlanOptions& options,
                                    const std::string& deviceKind) {
    const Partition partition(graph, stored, mesh);
    OneStage stage(graph, partition, options);
    LayerCosts out(kinds);
    const int count = graph.layerCount;
    FL_TRY(out.before_, stage.cost(0, 0, true, false, deviceKind));
    FL_TRY(out.behind_, stage.cost(count, count, false, true, deviceKind));
    for (const int layer : kinds.first) {
        FL_TRY(auto cost, stage.cost(layer, layer + 1, false, false, deviceKind));
        out.layers_.push_back(std::move(cost));
    }
    out.tiedBytes_ = tiedBytes(graph, partition);
    out.rows_ = options.maxSequences;
    return out;
}

StageCost LayerCosts::stage(const Stage& stage) const {
    Sum sum;
    if (stage.embeds)
        sum.add(before_);
    for (int layer = stage.firstLayer; layer < stage.endLayer; ++layer)
        sum.add(layers_[static_cast<std::size_t>(kinds_->kindOf[static_cast<std::size_t>(layer)])]);
    if (stage.answers)
        sum.add(behind_);
    if (stage.embeds && stage.answers)
        sum.holdOnce(tiedBytes_);
    if (!stage.embeds) {
        const auto edge = static_cast<std::size_t>(stage.firstLayer);
        sum.handOver(kinds_->crossingValues[edge],
                     kWord * rows_ * static_cast<double>(kinds_->crossingWidth[edge]));
    }
    return sum.take();
}

}  // namespace fl::plan
