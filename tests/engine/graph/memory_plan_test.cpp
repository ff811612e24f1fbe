// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/memory_plan.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_graph.h"

namespace fl::graph {

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};

static std::vector<Span> spans(const Graph& graph, const MemoryPlan& plan, const RowCounts& rows) {
    std::vector<Span> out(graph.values.size());
    for (std::size_t id = 0; id < graph.values.size(); ++id) {
        const Value& value = graph.values[id];
        out[id].begin = plan.offsets[id];
        out[id].end = plan.offsets[id] + value.width * rows.of(value.rows) * 4;
        out[id].first = graph.nodes.size();
    }
    for (std::size_t step = 0; step < graph.nodes.size(); ++step) {
        for (const ValueId id : graph.nodes[step].outputs) {
            Span& span = out[static_cast<std::size_t>(id)];
            span.first = std::min(span.first, step);
            span.last = std::max(span.last, step);
        }
        for (const ValueId id : graph.nodes[step].inputs)
            out[static_cast<std::size_t>(id)].last = step;
    }
    out[static_cast<std::size_t>(graph.output)].last = graph.nodes.size();
    return out;
}

TEST(MemoryPlan, ValuesThatLiveTogetherNeverOverlap) {
    for (const int experts : {0, 8}) {
        const Graph graph = test::tinyGraph({.layers = 3, .experts = experts});
        const RowCounts rows{.tokens = 7, .sequences = 3};
        const MemoryPlan plan = planMemory(graph, rows, Taps::Reuse);
        const auto all = spans(graph, plan, rows);
        for (std::size_t a = 0; a < all.size(); ++a) {
            EXPECT_EQ(plan.offsets[a] % kValueAlignment, 0);
            EXPECT_LE(all[a].end, plan.peakBytes);
            for (std::size_t b = a + 1; b < all.size(); ++b) {
                const bool together = all[a].first <= all[b].last && all[b].first <= all[a].last;
                const bool overlap = all[a].begin < all[b].end && all[b].begin < all[a].end;
                EXPECT_FALSE(together && overlap)
                    << graph.values[a].name << " and " << graph.values[b].name;
            }
        }
    }
}

TEST(MemoryPlan, ReuseMakesThePeakIndependentOfTheLayers) {
    const RowCounts rows{.tokens = 16, .sequences = 2};
    const MemoryPlan two = planMemory(test::tinyGraph({.layers = 2}), rows, Taps::Reuse);
    const MemoryPlan ten = planMemory(test::tinyGraph({.layers = 10}), rows, Taps::Reuse);
    EXPECT_EQ(two.peakBytes, ten.peakBytes);
    EXPECT_GT(ten.bytesWithoutReuse, 3 * ten.peakBytes);
}

TEST(MemoryPlan, KeepsTappedValuesToTheEnd) {
    Graph graph = test::tinyGraph({.layers = 2});
    graph.values[0].tap = "embed";
    const RowCounts rows{.tokens = 4, .sequences = 1};
    const MemoryPlan plan = planMemory(graph, rows, Taps::Keep);
    const std::int64_t end = plan.offsets[0] + graph.values[0].width * 4 * 4;
    for (std::size_t id = 1; id < graph.values.size(); ++id)
        EXPECT_GE(plan.offsets[id], end) << graph.values[id].name;
}

TEST(MemoryPlan, AllReduceWorksInPlaceWhereItCan) {
    Graph graph = test::tinyGraph({.layers = 1});
    graph.values.push_back({"sum", 64, Rows::Tokens, DType::F32, ""});
    Node node;
    node.op = "all_reduce";
    node.inputs = {0};
    node.outputs = {static_cast<ValueId>(graph.values.size()) - 1};
    graph.nodes.insert(graph.nodes.begin() + 1, node);
    for (std::size_t step = 2; step < graph.nodes.size(); ++step) {
        for (ValueId& id : graph.nodes[step].inputs)
            id = id == 0 ? node.outputs[0] : id;
    }
    const MemoryPlan plan = planMemory(graph, {.tokens = 4, .sequences = 1}, Taps::Reuse);
    EXPECT_EQ(plan.offsets[0], plan.offsets.back());
}

}  // namespace fl::graph
