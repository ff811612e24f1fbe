// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/ledger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/checked.h"
#include "engine/graph/op.h"

namespace fl::plan {

using graph::Graph;
using graph::Node;

std::string_view name(Category category) {
    switch (category) {
        case Category::Weights:
            return "weights";
        case Category::Scales:
            return "scales";
        case Category::Kv:
            return "kv";
        case Category::State:
            return "state";
        case Category::Activations:
            return "activations";
        case Category::Communication:
            return "communication";
        case Category::Context:
            return "context";
        case Category::Staging:
            return "staging";
    }
    return "weights";
}

void Ledger::add(Category category, const std::string& part, std::int64_t size) {
    (*this)[category] += size;
    for (LedgerPart& known : parts) {
        if (known.category == category && known.name == part) {
            known.bytes += size;
            return;
        }
    }
    parts.push_back({category, part, size});
}

std::int64_t Ledger::total() const {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

std::int64_t pagesPerSequence(const PlanOptions& options) {
    return ceilDivide(options.maxContext, options.pageTokens);
}

// A window may touch one page more than it fills.
std::int64_t pagesPerSequence(const graph::State& state, const PlanOptions& options) {
    const std::int64_t all = pagesPerSequence(options);
    return state.window > 0 ? std::min(ceilDivide(state.window, options.pageTokens) + 1, all) : all;
}

std::int64_t pageBytes(const graph::State& state, const PlanOptions& options) {
    const DType dtype = state.dtype.value_or(options.kv);
    return state.elements * blockLayout(dtype).bytes * options.pageTokens;
}

graph::RowCounts mostRows(const Plan& plan) {
    graph::RowCounts rows;
    rows.tokens = plan.options.maxBatchTokens;
    rows.sequences = std::min(plan.options.maxSequences, plan.options.maxBatchTokens);
    rows.groupTokens = rows.tokens * expertReplicas(plan.mesh);
    return rows;
}

namespace {

constexpr std::int64_t kWord = 4;  // of activations (F32) and of a step's tables (I32)

// What a driver keeps per process on a card (measured on CUDA 12).
constexpr std::int64_t kDriverBytes = std::int64_t{512} << 20;
// A CPU card has no driver, but its kernels work with panels of weights (8 rows of 1,040 values for
// each thread; one is counted), and with rows that are taken in blocks.
constexpr std::int64_t kPanelBytes = 8 * 1040 * kWord;
constexpr std::int64_t kKernelRows = 128;

class Costing {
public:
    Costing(const Partition& partition, const Plan& plan, const Coordinates& where)
        : partition_(partition),
          plan_(plan),
          where_(where) {}

    Result<RankCost> run(const std::string& kind) {
        const Stage& stage = plan_.stages[static_cast<std::size_t>(where_.pp)];
        FL_TRY(graph_, rankGraph(partition_, plan_.stages, where_));
        const std::vector<double> touched = touchedShares();
        std::size_t local = 0;
        for (const graph::WeightId id : weightsOf(partition_.graph(), stage, where_))
            addWeight(partition_.slice(id, where_), touched[local++]);
        for (const graph::State& state : graph_.states)
            addState(state);
        addActivations();
        // Hand-overs are traffic and nothing else.
        cost_.operators = static_cast<int>(std::count_if(
            graph_.nodes.begin(), graph_.nodes.end(),
            [](const Node& node) { return node.op != "send" && node.op != "receive"; }));
        for (const Node& node : graph_.nodes)
            addCollective(node);
        addFlops(stage);
        cost_.ledger[Category::Context] = kind == "cpu" ? kernelBytes() : kDriverBytes;
        return cost_;
    }

private:
    double decodeRows() const { return plan_.options.maxSequences; }

    // A step reads only the experts that some row chose; rows choose as if by lot.
    std::vector<double> touchedShares() const {
        std::vector<double> out(graph_.weights.size(), 1.0);
        for (const Node& node : graph_.nodes) {
            if (node.find("experts") == nullptr || node.find("k") == nullptr)
                continue;
            const double chosen = node.real("k") / node.real("experts");
            const double rows = decodeRows() * expertReplicas(plan_.mesh);
            for (const graph::WeightId id : node.weights)
                out[static_cast<std::size_t>(id)] = 1 - std::pow(1 - chosen, rows);
        }
        return out;
    }

    void addWeight(const Slice& slice, double touched) {
        const bool copied = partition_.replicated(slice.weight);
        cost_.ledger.add(Category::Weights, copied ? "replicated" : "sharded", slice.bytes);
        cost_.ledger[Category::Scales] += slice.scaleBytes;
        if (copied)
            cost_.ledger.replicatedWeights += slice.bytes;
        const auto& weight = partition_.graph().weights[static_cast<std::size_t>(slice.weight)];
        // A step reads a few rows of the embedding, unless it is also the head.
        const bool rowsOnly = weight.kind == graph::WeightKind::Embedding &&
                              !plan_.stages[static_cast<std::size_t>(where_.pp)].answers;
        if (!rowsOnly)
            cost_.weightBytesPerStep +=
                static_cast<double>(slice.bytes + slice.scaleBytes) * touched;
    }

    void addState(const graph::State& state) {
        const DType dtype = state.dtype.value_or(plan_.options.kv);
        const std::int64_t bytes = state.elements * blockLayout(dtype).bytes;
        const std::string part = state.name.substr(state.name.rfind('.') + 1);
        if (state.kind == graph::State::Kind::Fixed) {
            addPerSequence(Category::State, part, bytes);
            cost_.kvBytesPerStep += static_cast<double>(bytes) * decodeRows();
            return;
        }
        const std::int64_t page = pageBytes(state, plan_.options);
        std::int64_t read = meanContext();
        if (state.window > 0) {
            addPerSequence(Category::Kv, part, page * pagesPerSequence(state, plan_.options));
            read = std::min(read, state.window);
        } else {
            cost_.ledger.add(Category::Kv, part, page * plan_.kvPagesPerReplica);
            cost_.kvBytesPerPage += page;
        }
        cost_.kvBytesPerStep +=
            static_cast<double>(bytes) * decodeRows() * static_cast<double>(read);
    }

    void addPerSequence(Category category, const std::string& part, std::int64_t bytes) {
        cost_.ledger.add(category, part, bytes * plan_.options.maxSequences);
        cost_.bytesPerSequence += bytes;
    }

    std::int64_t meanContext() const { return plan_.options.maxContext / 2; }

    // Workspace, rope frequencies, and the tables of a step: four numbers per row (id, position,
    // sequence, whether it is answered) and the page tables.
    void addActivations() {
        graph::RowCounts rows = mostRows(plan_);
        rows.patches = partition_.graph().imagePatches;
        std::int64_t bytes = planMemory(graph_, rows, graph::Taps::Reuse).peakBytes;
        if (rows.patches > 0) {
            graph::RowCounts text = rows;
            text.patches = 0;
            const std::int64_t less = planMemory(graph_, text, graph::Taps::Reuse).peakBytes;
            if (bytes > less)
                cost_.ledger.parts.push_back({Category::Activations, "vision", bytes - less});
        }
        for (const Node& node : graph_.nodes) {
            if (node.op == "rope")
                bytes += node.integer("rotary") / 2 * 4;
        }
        const std::int64_t pages = plan_.options.maxSequences * pagesPerSequence(plan_.options);
        bytes += kWord * (4 * rows.tokens + pages);
        cost_.ledger[Category::Activations] = bytes;
        for (const graph::Value& value : graph_.values) {
            if (value.rows == graph::Rows::Sequences)
                cost_.bytesPerSequence += value.width * kWord;
        }
    }

    // Joining parts of rows needs a place for all parts; the other collectives work on the values
    // themselves.
    void addCollective(const Node& node) {
        if (node.find("group") == nullptr)
            return;
        const auto& ids = node.outputs.empty() ? node.inputs : node.outputs;
        const graph::Value& value = graph_.values[static_cast<std::size_t>(ids[0])];
        if (node.op == "all_gather") {
            const std::int64_t joined = value.width * mostRows(plan_).of(value.rows) * kWord;
            std::int64_t& buffer = cost_.ledger[Category::Communication];
            buffer = std::max(buffer, joined);
            if (value.rows == graph::Rows::Sequences)
                cost_.bytesPerSequence += value.width * kWord;
        }
        if (node.op == "send")
            return;
        Traffic& traffic = trafficOf(node.text("group"));
        ++traffic.collectives;
        traffic.bytes +=
            static_cast<double>(kWord) * static_cast<double>(value.width) * decodeRows();
    }

    Traffic& trafficOf(const std::string& group) {
        for (Traffic& traffic : cost_.traffic) {
            if (traffic.group == group)
                return traffic;
        }
        return cost_.traffic.emplace_back(Traffic{group, 0, 0});
    }

    // Rows that one expert computes at a time, before and behind its inner width; rows rounded to
    // bfloat16 in front of a product.
    std::int64_t kernelBytes() const {
        const int parts = expertPlace(plan_.mesh, where_).parts;
        std::int64_t expert = 0;
        std::int64_t widest = 0;
        for (const Node& node : graph_.nodes) {
            if (node.weights.empty() || node.inputs.empty())
                continue;
            const std::int64_t width = valueOf(node.inputs[0]).width;
            widest = std::max(widest, width);
            if (node.op != "moe_experts")
                continue;
            const auto& first = graph_.weights[static_cast<std::size_t>(node.weights[0])];
            const std::int64_t inner = first.shape.count().value_or(0) / width / parts;
            const std::int64_t rows =
                std::min(kKernelRows, mostRows(plan_).of(valueOf(node.inputs[0]).rows));
            expert = std::max(expert, 2 * rows * (width + inner) * kWord);
        }
        const bool rounds = plan_.options.compute == Compute::BF16;
        return kPanelBytes + expert + (rounds ? kKernelRows * widest * kWord : 0);
    }

    const graph::Value& valueOf(graph::ValueId id) const {
        return graph_.values[static_cast<std::size_t>(id)];
    }

    // Counted on the model's graph, whose widths are whole, and shared by the ranks of the stage.
    void addFlops(const Stage& stage) {
        const auto context = static_cast<double>(meanContext());
        const graph::CostQuestion step{plan_.options.maxSequences, context};
        const graph::CostQuestion chunk{plan_.options.maxBatchTokens, context};
        for (const Node& node : partition_.graph().nodes) {
            const graph::OpDef* op = graph::findOp(node.op);
            if (!op || !inStage(partition_.graph(), stage, node.layer))
                continue;
            const Graph& model = partition_.graph();
            cost_.flopsPerStep += op->cost(model, node, step).flops / plan_.mesh.tp;
            cost_.flopsPerChunk += op->cost(model, node, chunk).flops / plan_.mesh.tp;
        }
    }

    const Partition& partition_;
    const Plan& plan_;
    Coordinates where_;
    Graph graph_;
    RankCost cost_;
};

}  // namespace

Result<RankCost> rankCost(const Partition& partition,
                          const Plan& plan,
                          const Coordinates& where,
                          const std::string& kind) {
    return Costing(partition, plan, where).run(kind);
}

}  // namespace fl::plan
