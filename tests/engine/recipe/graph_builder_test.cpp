// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/graph_builder.h"

#include <gtest/gtest.h>

namespace fl::recipe {

// Runs lines against the host functions; the error's text, or "" and the graph.
static std::string run(const std::string& body, graph::Graph* graph = nullptr) {
    GraphBuilder builder("test");
    auto state = LuaState::create({}, [&](const std::string&) -> Result<LuaSource> {
        return LuaSource{"test.lua", "return { go = function()\n" + body + "\nend }"};
    });
    if (!state)
        return state.error().message;
    builder.bindTo(*state);
    const auto result = state->call("recipe", "go", Json());
    if (!result)
        return result.error().message;
    auto built = builder.take();
    if (!built)
        return built.error().message;
    if (graph)
        *graph = *built;
    return "";
}

static const char* kSizes = "host.model { layers = 1, hidden = 8, vocab = 16, context = 32 }\n";
static const char* kTable =
    "local w = host.weight { tensor = 'layers.{i}.t', layer = 0, shape = { 16, 8 }, "
    "split = 'vocab', kind = 'embedding' }\n"
    "local x = host.value { name = 'embed', width = 8 }\n";

TEST(GraphBuilder, BuildsNodesAndFillsInLayers) {
    graph::Graph graph;
    const std::string body = std::string(kSizes) + kTable +
                             "host.node { op = 'embedding', inputs = {}, outputs = { x }, "
                             "weights = { w }, site = 'embed' }\nhost.output(x)";
    EXPECT_EQ(run(body, &graph), "");
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.weights[0].tensor, "layers.0.t");
    EXPECT_EQ(graph.output, 0);
}

TEST(GraphBuilder, TheSameTensorIsTheSameWeight) {
    const std::string again =
        "local v = host.weight { tensor = 'layers.0.t', shape = { 16, 8 }, split = 'vocab', "
        "kind = 'head' }\nassert(v == w)\nhost.output(x)";
    EXPECT_EQ(run(std::string(kSizes) + kTable + again), "");
    const std::string other =
        "host.weight { tensor = 'layers.0.t', shape = { 8, 8 }, split = 'vocab', kind = 'head' }";
    EXPECT_EQ(run(std::string(kTable) + other),
              "test.lua:4: weight layers.0.t was declared before with another shape");
}

TEST(GraphBuilder, MistakesAreErrorsAtTheirLine) {
    EXPECT_EQ(run("host.node { op = 'linaer', inputs = {}, outputs = {}, weights = {} }"),
              "test.lua:2: unknown operator 'linaer' (nearest: linear)");
    EXPECT_EQ(run("host.node { op = 'linear', inputs = { 7 }, outputs = {}, weights = {} }"),
              "test.lua:2: 'inputs' names something that does not exist");
    EXPECT_EQ(run("host.value { name = 'x', width = -1 }"),
              "test.lua:2: 'width' must be from 1 to 1099511627776, found -1");
    EXPECT_EQ(run("host.weight { tensor = 't', shape = { 2 }, split = 'diagonal', kind = 'mlp' }"),
              "test.lua:2: 'split' must be one of replicate, column, row, vocab, head, expert, "
              "found 'diagonal'");
    EXPECT_EQ(run(std::string(kTable) +
                  "host.node { op = 'embedding', inputs = {}, outputs = { x }, weights = {} }"),
              "test.lua:4: embedding (): expected 1 weights, found 0");
}

TEST(GraphBuilder, AGraphWithoutSizesOrOutputIsRefused) {
    EXPECT_EQ(run(""), "the recipe never called host.model");
    EXPECT_EQ(run(kSizes), "the recipe never called host.output");
}

}  // namespace fl::recipe
