// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/op_check.cpp engine/graph/ops/
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "engine/graph/op.h"
#include "engine/graph/op_check.h"
#include "kernels/api/add.h"
#include "kernels/api/attention.h"
#include "kernels/api/embedding.h"
#include "kernels/api/gather_rows.h"
#include "kernels/api/linear.h"
#include "kernels/api/moe_experts.h"
#include "kernels/api/rms_norm.h"
#include "kernels/api/rope.h"
#include "kernels/api/router_topk.h"
#include "kernels/api/silu_mul.h"
#include "tests/support/tiny_graph.h"

namespace fl::graph {

static Node& firstNode(Graph& graph, std::string_view op) {
    for (Node& node : graph.nodes) {
        if (node.op == op)
            return node;
    }
    return graph.nodes.front();
}

TEST(OpList, EveryOperatorDeclaresWhatThePlannerAndTheRuntimeNeed) {
    for (const OpDef& op : opList()) {
        EXPECT_NE(op.check, nullptr) << op.name;
        EXPECT_NE(op.cost, nullptr) << op.name;
        EXPECT_NE(op.place, nullptr) << op.name;
    }
    EXPECT_EQ(findOp("unheard_of"), nullptr);
}

TEST(OpCheck, NamesLayerSiteExpectedAndFound) {
    Graph graph = test::tinyGraph({});
    Node& node = firstNode(graph, "silu_mul");
    graph.values[static_cast<std::size_t>(node.inputs[1])].width = 12;
    const Status status = findOp("silu_mul")->check(graph, node);
    ASSERT_FALSE(status);
    EXPECT_EQ(
        status.error().message,
        "silu_mul (mlp of layer 0): expected 160 values per row in layers.0.up.out, found 12");
}

TEST(OpCheck, RefusesAMissingAttribute) {
    Graph graph = test::tinyGraph({});
    Node& node = firstNode(graph, "attention");
    node.attributes.clear();
    EXPECT_FALSE(findOp("attention")->check(graph, node));
}

TEST(OpPlace, CutsFollowTheWeights) {
    Graph graph = test::tinyGraph({.kvHeads = 1});
    const OpDef* linear = findOp("linear");
    const auto placed = [&](std::string_view weight, Placed input) {
        for (const Node& node : graph.nodes) {
            if (node.op == "linear" &&
                graph.weights[static_cast<std::size_t>(node.weights[0])].tensor == weight)
                return linear->place(graph, node, std::array{input});
        }
        return Result<Placed>(Error{});
    };
    EXPECT_EQ(*placed("layers.0.q", Placed::Whole), Placed::Sharded);
    EXPECT_EQ(*placed("layers.0.k", Placed::Whole), Placed::Whole);  // the only head: everywhere
    EXPECT_EQ(*placed("layers.0.o", Placed::Sharded), Placed::Partial);
    EXPECT_EQ(*placed("layers.0.gate", Placed::Whole), Placed::Sharded);
    EXPECT_FALSE(placed("layers.0.down", Placed::Whole));
    EXPECT_FALSE(placed("layers.0.gate", Placed::Partial));
}

TEST(OpBind, FillsTheArgumentStructs) {
    const Graph graph = test::tinyGraph({.attentionBias = true});
    const auto linear = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                     [](const Node& node) { return node.op == "linear"; });
    std::array<float, 4> memory{};
    const std::array<void*, 1> input = {memory.data()};
    const std::array<void*, 1> output = {memory.data() + 1};
    std::array<BoundWeight, 2> weights;
    weights[0] = {.data = memory.data() + 2, .dtype = DType::BF16, .shape = {32, 64}};
    weights[1] = {.data = memory.data() + 3, .dtype = DType::F32, .shape = {32}};
    Binding binding;
    binding.node = &*linear;
    binding.graph = &graph;
    binding.rows = 7;
    binding.inputs = input;
    binding.outputs = output;
    binding.weights = weights;
    binding.step.compute = FL_COMPUTE_INT8;
    KernelArguments arguments;
    findOp("linear")->bind(binding, arguments);
    const auto& args = *reinterpret_cast<const fl_linear_args*>(arguments.bytes.data());
    EXPECT_EQ(args.size, sizeof(fl_linear_args));
    EXPECT_EQ(args.rows, 7);
    EXPECT_EQ(args.in, 64);
    EXPECT_EQ(args.out, 32);
    EXPECT_EQ(args.weight_dtype, FL_BF16);
    EXPECT_EQ(args.bias, weights[1].data);
    EXPECT_EQ(args.compute, FL_COMPUTE_INT8);
}

// Every argument struct begins with its size.
static std::size_t boundSize(const Graph& graph, std::string_view op) {
    std::array<float, 64> memory{};
    std::array<void*, 3> inputs{};
    std::array<void*, 2> outputs{};
    std::array<const void*, 8> experts{};
    inputs.fill(memory.data());
    outputs.fill(memory.data());
    experts.fill(memory.data());
    std::array<BoundWeight, 3> weights;
    for (BoundWeight& weight : weights)
        weight = {memory.data(), experts.data(), 8, 16, DType::BF16, {48, 64}, 5};
    for (const Node& node : graph.nodes) {
        if (node.op != op)
            continue;
        Binding binding;
        binding.node = &node;
        binding.graph = &graph;
        binding.rows = 3;
        binding.inputs = inputs;
        binding.outputs = outputs;
        binding.weights = weights;
        binding.state.pages = memory.data();
        KernelArguments arguments;
        findOp(op)->bind(binding, arguments);
        std::size_t size = 0;
        std::memcpy(&size, arguments.bytes.data(), sizeof size);
        return size;
    }
    return 0;
}

TEST(OpBind, EveryOperatorFillsTheStructOfItsName) {
    const Graph dense = test::tinyGraph({.qkNorm = true});
    const Graph sparse = test::tinyGraph({.experts = 8});
    EXPECT_EQ(boundSize(dense, "add"), sizeof(fl_add_args));
    EXPECT_EQ(boundSize(dense, "attention"), sizeof(fl_attention_args));
    EXPECT_EQ(boundSize(dense, "embedding"), sizeof(fl_embedding_args));
    EXPECT_EQ(boundSize(dense, "gather_rows"), sizeof(fl_gather_rows_args));
    EXPECT_EQ(boundSize(dense, "linear"), sizeof(fl_linear_args));
    EXPECT_EQ(boundSize(sparse, "moe_experts"), sizeof(fl_moe_experts_args));
    EXPECT_EQ(boundSize(dense, "rms_norm"), sizeof(fl_rms_norm_args));
    EXPECT_EQ(boundSize(dense, "rope"), sizeof(fl_rope_args));
    EXPECT_EQ(boundSize(sparse, "router_topk"), sizeof(fl_router_topk_args));
    EXPECT_EQ(boundSize(dense, "silu_mul"), sizeof(fl_silu_mul_args));
}

TEST(OpBind, PutsValuesBehindTheKeysOfAPage) {
    Graph graph = test::tinyGraph({});
    const Node& node = firstNode(graph, "attention");
    std::array<std::byte, 64> memory{};
    const std::array<void*, 3> inputs = {memory.data(), memory.data(), memory.data()};
    const std::array<void*, 1> outputs = {memory.data()};
    Binding binding;
    binding.node = &node;
    binding.graph = &graph;
    binding.rows = 1;
    binding.inputs = inputs;
    binding.outputs = outputs;
    binding.state = {.pages = memory.data(), .pageBytes = 4096, .dtype = DType::BF16};
    binding.step.pageTokens = 16;
    KernelArguments arguments;
    findOp("attention")->bind(binding, arguments);
    const auto& args = *reinterpret_cast<const fl_attention_args*>(arguments.bytes.data());
    EXPECT_EQ(static_cast<std::byte*>(args.v_pages) - static_cast<std::byte*>(args.k_pages),
              16 * 2 * 16 * 2);
    EXPECT_EQ(args.kv_dtype, FL_BF16);
}

}  // namespace fl::graph
