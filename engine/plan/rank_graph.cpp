// SPDX-License-Identifier: Apache-2.0
// The model's graph as one rank runs it. Each operator says how its outputs lie given how its
// inputs lie; where they are parts, a collective completes them at once.
#include <algorithm>
#include <utility>

#include "engine/graph/op.h"
#include "engine/plan/partition.h"

namespace fl::plan {

using graph::Attribute;
using graph::Graph;
using graph::Node;
using graph::OpDef;
using graph::Placed;
using graph::Rows;
using graph::Value;
using graph::ValueId;
using graph::WeightId;

namespace {

std::size_t index(std::int32_t id) {
    return static_cast<std::size_t>(id);
}

// Values made in an earlier stage than some reader: what crosses the edge before stage `stage`.
std::vector<ValueId> crossing(const Graph& graph, const std::vector<Stage>& stages, int stage) {
    const auto stageOf = [&](const Node& node) {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            if (inStage(graph, stages[s], node.layer))
                return static_cast<int>(s);
        }
        return 0;
    };
    std::vector<bool> made(graph.values.size(), false);
    std::vector<bool> needed(graph.values.size(), false);
    for (const Node& node : graph.nodes) {
        const bool before = stageOf(node) < stage;
        for (const ValueId id : node.outputs) {
            if (before)
                made[index(id)] = true;
        }
        for (const ValueId id : node.inputs) {
            if (!before && made[index(id)])
                needed[index(id)] = true;
        }
    }
    std::vector<ValueId> out;
    for (std::size_t id = 0; id < needed.size(); ++id) {
        if (needed[id])
            out.push_back(static_cast<ValueId>(id));
    }
    return out;
}

class RankGraph {
public:
    RankGraph(const Partition& partition,
              const std::vector<Stage>& stages,
              const Coordinates& where)
        : partition_(partition),
          model_(partition.graph()),
          mesh_(partition.mesh()),
          stages_(stages),
          where_(where),
          local_(model_.values.size(), graph::kNone),
          weights_(model_.weights.size(), graph::kNone) {}

    Result<Graph> build() {
        out_.model = model_.model;
        out_.layerCount = model_.layerCount;
        out_.hiddenSize = model_.hiddenSize;
        out_.vocabSize = model_.vocabSize;
        out_.contextLength = model_.contextLength;
        const Stage& stage = stages_[index(where_.pp)];
        for (const WeightId id : weightsOf(model_, stage, where_)) {
            weights_[index(id)] = static_cast<WeightId>(out_.weights.size());
            out_.weights.push_back(model_.weights[index(id)]);
        }
        receiveAll();
        for (const Node& node : model_.nodes) {
            if (inStage(model_, stage, node.layer))
                FL_DO(add(node));
        }
        sendAll();
        if (stage.answers)
            out_.output = local_[index(model_.output)];
        return std::move(out_);
    }

private:
    ValueId newValue(Value value, Placed placed) {
        out_.values.push_back(std::move(value));
        placed_.push_back(placed);
        return static_cast<ValueId>(out_.values.size()) - 1;
    }

    // A collective beside `like`, which gives it layer and site.
    Node& collective(const std::string& op, const std::string& group, const Node& like) {
        Node node;
        node.op = op;
        node.layer = like.layer;
        node.site = like.site;
        node.set("group", group);
        out_.nodes.push_back(std::move(node));
        return out_.nodes.back();
    }

    void receiveAll() {
        if (where_.pp == 0)
            return;
        Node edge;
        edge.layer = stages_[index(where_.pp)].firstLayer;
        edge.site = "stage";
        for (const ValueId id : crossing(model_, stages_, where_.pp)) {
            Value value = model_.values[index(id)];
            value.tap.clear();
            const ValueId received = newValue(std::move(value), Placed::Whole);
            local_[index(id)] = received;
            Node& node = collective("receive", "pp", edge);
            node.outputs = {received};
            node.set("from", std::int64_t{where_.pp - 1});
        }
    }

    void sendAll() {
        if (where_.pp + 1 == mesh_.pp)
            return;
        Node edge;
        edge.layer = stages_[index(where_.pp)].endLayer - 1;
        edge.site = "stage";
        for (const ValueId id : crossing(model_, stages_, where_.pp + 1)) {
            Node& node = collective("send", "pp", edge);
            node.inputs = {local_[index(id)]};
            node.set("to", std::int64_t{where_.pp + 1});
        }
    }

    // The node with this rank's weights, inputs and counts; outputs still missing.
    Node localNode(const Node& node, const OpDef& op, bool sharded) {
        Node made = node;
        made.inputs.clear();
        made.outputs.clear();
        made.weights.clear();
        for (const ValueId id : node.inputs)
            made.inputs.push_back(local_[index(id)]);
        for (const WeightId id : localWeights(model_, node, where_))
            made.weights.push_back(weights_[index(id)]);
        if (sharded && op.localise)
            op.localise(made, mesh_.tp);
        if (node.state != graph::kNone) {
            graph::State state = model_.states[index(node.state)];
            if (op.stateElements)
                state.elements = op.stateElements(made);
            made.state = static_cast<graph::StateId>(out_.states.size());
            out_.states.push_back(std::move(state));
        }
        return made;
    }

    Status add(const Node& node) {
        const OpDef* op = graph::findOp(node.op);
        if (!op)
            return Error{ErrorCode::Internal, "the graph has an unknown operator " + node.op};
        if (node.op == "moe_experts" && expertReplicas(mesh_) > 1) {
            addTravellingExperts(node, *op);
            return Done{};
        }
        std::vector<Placed> inputs;
        for (const ValueId id : node.inputs)
            inputs.push_back(placed_[index(local_[index(id)])]);
        Placed placed = Placed::Whole;
        if (mesh_.tp > 1) {
            FL_TRY(placed, op->place(model_, node, inputs));
        }
        Node made = localNode(node, *op, placed == Placed::Sharded);
        for (const ValueId id : node.outputs) {
            const bool inPlace = local_[index(id)] != graph::kNone;
            if (!inPlace)
                local_[index(id)] = newValue(localValue(node, id, placed), placed);
            made.outputs.push_back(local_[index(id)]);
        }
        out_.nodes.push_back(std::move(made));
        complete(node, placed);
        return Done{};
    }

    Value localValue(const Node& node, ValueId id, Placed placed) const {
        Value value = model_.values[index(id)];
        if (placed == Placed::Sharded)
            value.width = shardWidth(node, id, where_);
        if (placed == Placed::Partial || needsGather(id, placed)) {
            value.tap.clear();
            value.name += placed == Placed::Partial ? ".partial" : ".part";
        }
        return value;
    }

    // A cut weight gives its part; else a row is cut as the first input's is.
    std::int64_t shardWidth(const Node& node, ValueId id, const Coordinates& where) const {
        const std::int64_t width = model_.values[index(id)].width;
        if (!node.weights.empty()) {
            const WeightId first = node.weights[0];
            const Slice slice = partition_.slice(first, where);
            if (slice.axis == 0)
                return width * (slice.end - slice.begin) / model_.weights[index(first)].shape[0];
        }
        const ValueId first = node.inputs[0];
        const std::int64_t whole = model_.values[index(first)].width;
        return out_.values[index(local_[index(first)])].width * width / whole;
    }

    bool needsGather(ValueId id, Placed placed) const {
        const bool asked = id == model_.output || !model_.values[index(id)].tap.empty();
        return placed == Placed::Sharded && asked;
    }

    void complete(const Node& node, Placed placed) {
        for (const ValueId id : node.outputs) {
            if (placed == Placed::Partial)
                replace(id, collective("all_reduce", "tp", node));
            if (!needsGather(id, placed))
                continue;
            std::vector<double> columns;
            for (int tp = 0; tp < mesh_.tp; ++tp) {
                Coordinates peer = where_;
                peer.tp = tp;
                columns.push_back(static_cast<double>(shardWidth(node, id, peer)));
            }
            Node& gather = collective("all_gather", "tp", node);
            gather.set("columns", std::move(columns));
            replace(id, gather);
        }
    }

    // `node` turns the parts of a value into the value.
    void replace(ValueId id, Node& node) {
        node.inputs = {local_[index(id)]};
        node.outputs = {newValue(model_.values[index(id)], Placed::Whole)};
        local_[index(id)] = node.outputs[0];
    }

    // EP above TP: the rows of all replicas of the group meet, every rank adds what its experts
    // say to them, and each replica takes its own rows back.
    void addTravellingExperts(const Node& node, const OpDef& op) {
        Node made = localNode(node, op, false);
        for (ValueId& input : made.inputs) {
            Value value = out_.values[index(input)];
            value.name += ".group";
            value.tap.clear();
            value.rows = Rows::GroupTokens;
            const ValueId gathered = newValue(std::move(value), Placed::Whole);
            Node& gather = collective("gather_tokens", "edp", node);
            gather.inputs = {input};
            gather.outputs = {gathered};
            input = gathered;
        }
        const ValueId id = node.outputs[0];
        Value group = model_.values[index(id)];
        group.name += ".group";
        group.tap.clear();
        group.rows = Rows::GroupTokens;
        made.outputs = {newValue(std::move(group), Placed::Partial)};
        const ValueId parts = made.outputs[0];
        out_.nodes.push_back(std::move(made));
        Value own = model_.values[index(id)];
        if (mesh_.tp > 1) {
            own.name += ".partial";
            own.tap.clear();
        }
        local_[index(id)] = newValue(std::move(own), Placed::Whole);
        Node& scatter = collective("scatter_tokens", "edp", node);
        scatter.inputs = {parts};
        scatter.outputs = {local_[index(id)]};
        if (mesh_.tp > 1)
            replace(id, collective("all_reduce", "tp", node));
    }

    const Partition& partition_;
    const Graph& model_;
    const Mesh& mesh_;
    const std::vector<Stage>& stages_;
    Coordinates where_;
    Graph out_;
    std::vector<Placed> placed_;  // of this rank's values
    std::vector<ValueId> local_;  // model's value → this rank's
    std::vector<WeightId> weights_;
};

}  // namespace

Result<Graph> rankGraph(const Partition& partition,
                        const std::vector<Stage>& stages,
                        const Coordinates& where) {
    return RankGraph(partition, stages, where).build();
}

Result<Graph> rankGraph(const Graph& graph,
                        const std::vector<StoredWeight>& stored,
                        const Plan& plan,
                        int rank) {
    const Partition partition(graph, stored, plan.mesh);
    return rankGraph(partition, plan.stages, coordinates(plan.mesh, rank));
}

}  // namespace fl::plan
