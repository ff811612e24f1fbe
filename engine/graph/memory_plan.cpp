// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/memory_plan.h"

#include <algorithm>

#include "engine/base/checked.h"

namespace fl::graph {

std::int64_t RowCounts::of(Rows rows) const {
    switch (rows) {
        case Rows::Tokens:
            return tokens;
        case Rows::Patches:
            return patches;
        case Rows::Sequences:
            return sequences;
        case Rows::GroupTokens:
            return groupTokens;
    }
    return tokens;
}

namespace {

class Placement {
public:
    Placement(const Graph& graph, const RowCounts& rows, Taps taps)
        : graph_(graph),
          rows_(rows),
          lastUse_(graph.values.size(), kNever) {
        plan_.offsets.assign(graph.values.size(), -1);
        for (std::size_t step = 0; step < graph.nodes.size(); ++step) {
            for (const ValueId id : graph.nodes[step].inputs)
                lastUse_[index(id)] = step;
            for (const ValueId id : graph.nodes[step].outputs)
                lastUse_[index(id)] = step;
        }
        for (std::size_t id = 0; id < graph.values.size(); ++id) {
            const bool kept = taps == Taps::Keep && !graph.values[id].tap.empty();
            if (kept || static_cast<ValueId>(id) == graph.output)
                lastUse_[id] = graph.nodes.size();
        }
    }

    MemoryPlan run() {
        for (std::size_t step = 0; step < graph_.nodes.size(); ++step) {
            const Node& node = graph_.nodes[step];
            for (const ValueId id : node.outputs)
                place(node, index(id), step);
            std::erase_if(live_, [&](const Piece& piece) { return lastUse_[piece.id] <= step; });
        }
        return std::move(plan_);
    }

private:
    struct Piece {
        std::size_t id;
        std::int64_t begin;
        std::int64_t end;
    };
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

    static std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }

    void place(const Node& node, std::size_t id, std::size_t step) {
        if (plan_.offsets[id] >= 0)
            return;  // written in place
        const Value& value = graph_.values[id];
        const std::int64_t bytes = roundUp(
            value.width * rows_.of(value.rows) * blockLayout(value.dtype).bytes, kValueAlignment);
        plan_.bytesWithoutReuse += bytes;
        if (node.op == "all_reduce" && takeOver(index(node.inputs[0]), id, step))
            return;
        const std::int64_t begin = firstGap(bytes);
        insert({id, begin, begin + bytes});
    }

    bool takeOver(std::size_t from, std::size_t to, std::size_t step) {
        if (lastUse_[from] != step)
            return false;
        for (Piece& piece : live_) {
            if (piece.id != from)
                continue;
            piece.id = to;
            plan_.offsets[to] = piece.begin;
            return true;
        }
        return false;
    }

    std::int64_t firstGap(std::int64_t bytes) const {
        std::int64_t begin = 0;
        for (const Piece& piece : live_) {
            if (begin + bytes <= piece.begin)
                break;
            begin = std::max(begin, piece.end);
        }
        return begin;
    }

    void insert(const Piece& piece) {
        plan_.offsets[piece.id] = piece.begin;
        plan_.peakBytes = std::max(plan_.peakBytes, piece.end);
        const auto behind = std::find_if(live_.begin(), live_.end(), [&](const Piece& other) {
            return other.begin >= piece.begin;
        });
        live_.insert(behind, piece);
    }

    const Graph& graph_;
    const RowCounts& rows_;
    std::vector<std::size_t> lastUse_;
    std::vector<Piece> live_;  // sorted by begin
    MemoryPlan plan_;
};

}  // namespace

MemoryPlan planMemory(const Graph& graph, const RowCounts& rows, Taps taps) {
    return Placement(graph, rows, taps).run();
}

}  // namespace fl::graph
