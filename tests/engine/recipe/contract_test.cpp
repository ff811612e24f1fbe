// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/contract.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/findings.h"
#include "tests/support/tiny_graph.h"

namespace fl::recipe {

using checkpoint::Inventory;
using checkpoint::TensorInfo;
using test::findCode;

// What the graph wants, as a list that a test can spoil.
struct Wanted {
    std::string name;
    DType dtype;
    Shape shape;
};

static std::vector<Wanted> wanted(const graph::Graph& graph) {
    std::vector<Wanted> out;
    for (const graph::Weight& weight : graph.weights) {
        const int count = weight.stacked() ? 1 : weight.parts();
        for (int part = 0; part < count; ++part)
            out.push_back({weight.expertName(part), DType::BF16, weight.shape});
    }
    return out;
}

static ContractResult compare(const graph::Graph& graph, const std::vector<Wanted>& tensors) {
    static std::vector<Inventory> kept;  // results view their names
    Inventory& inventory = kept.emplace_back();
    std::int64_t offset = 0;
    for (const Wanted& each : tensors) {
        TensorInfo info;
        info.name = each.name;
        info.dtype = each.dtype;
        info.shape = each.shape;
        info.offset = offset;
        info.bytes = *each.shape.count() * 2;
        offset += info.bytes;
        inventory.add(info);
    }
    inventory.finish();
    return compareWithInventory(graph, inventory);
}

static Wanted& named(std::vector<Wanted>& tensors, const std::string& name) {
    return *std::find_if(tensors.begin(), tensors.end(),
                         [&](const Wanted& each) { return each.name == name; });
}

TEST(Contract, AWholeCheckpointMatches) {
    const graph::Graph graph = test::tinyGraph({.experts = 8});
    const auto tensors = wanted(graph);
    const ContractResult result = compare(graph, tensors);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.contract.matched, static_cast<std::int64_t>(tensors.size()));
    EXPECT_EQ(result.contract.missing + result.contract.unexpected, 0);
    ASSERT_EQ(result.tensors.size(), graph.weights.size());
    for (std::size_t id = 0; id < graph.weights.size(); ++id) {
        ASSERT_EQ(result.tensors[id].size(), static_cast<std::size_t>(graph.weights[id].parts()));
        EXPECT_EQ(result.tensors[id].back().name,
                  graph.weights[id].expertName(graph.weights[id].parts() - 1));
        EXPECT_EQ(result.stored[id].dtype, DType::BF16);
        EXPECT_EQ(result.stored[id].bytesPerTensor, *graph.weights[id].shape.count() * 2);
    }
}

TEST(Contract, CountsParametersByKindAndThoseOfOneToken) {
    const graph::Graph graph =
        test::tinyGraph({.layers = 2, .inner = 32, .experts = 8, .chosen = 2});
    const Contract contract = compare(graph, wanted(graph)).contract;
    const std::int64_t experts = 2 * 8 * 3 * 32 * 64;
    const auto kind = [&](graph::WeightKind each) {
        return contract.parametersByKind[static_cast<std::size_t>(each)];
    };
    EXPECT_EQ(kind(graph::WeightKind::RoutedExperts), experts);
    EXPECT_EQ(kind(graph::WeightKind::Router), 2 * 8 * 64);
    EXPECT_EQ(contract.parameters - contract.activeParameters, experts * 6 / 8);
    EXPECT_EQ(contract.bytesByKind[static_cast<std::size_t>(graph::WeightKind::RoutedExperts)],
              experts * 2);
}

TEST(Contract, LeavesTensorsOfAMissingFileToTheFindingAboutIt) {
    const graph::Graph graph = test::tinyGraph({});
    auto tensors = wanted(graph);
    Inventory inventory;
    for (const Wanted& tensor : tensors) {
        if (tensor.name != "layers.1.up" && tensor.name != "layers.1.down")
            inventory.add({.name = tensor.name, .dtype = tensor.dtype, .shape = tensor.shape});
    }
    inventory.finish();
    inventory.setLost({"layers.1.up", "layers.9.other"});
    const ContractResult result = compareWithInventory(graph, inventory);
    EXPECT_EQ(result.contract.missing, 2);
    EXPECT_EQ(test::codes(result.findings), "tensor-missing");
    EXPECT_EQ(findCode(result.findings, "tensor-missing").tensor, "layers.1.down");
    EXPECT_EQ(findCode(result.findings, "tensor-missing").count, 1);
}

TEST(Contract, NamesMissingUnexpectedAndMisshapedTensorsAtOnce) {
    const graph::Graph graph = test::tinyGraph({});
    auto tensors = wanted(graph);
    named(tensors, "layers.0.q").shape = {64, 48};
    named(tensors, "layers.1.gate").dtype = DType::F8E4M3;
    named(tensors, "layers.1.up").name = "layers.1.upp";
    tensors.push_back({"vision.patch", DType::BF16, {3, 3}});
    const ContractResult result = compare(graph, tensors);
    EXPECT_EQ(result.contract.missing, 1);
    EXPECT_EQ(result.contract.unexpected, 2);
    const Finding shape = findCode(result.findings, "tensor-shape");
    EXPECT_EQ(shape.tensor, "layers.0.q");
    EXPECT_EQ(shape.expected, "[64, 64]");
    EXPECT_EQ(shape.found, "[64, 48]");
    EXPECT_FALSE(shape.remedy.empty());
    EXPECT_EQ(findCode(result.findings, "tensor-missing").tensor, "layers.1.up");
    EXPECT_EQ(findCode(result.findings, "tensor-unexpected").tensor, "layers.1.upp");
    const Finding dtype = findCode(result.findings, "tensor-dtype");
    EXPECT_EQ(dtype.tensor, "layers.1.gate");
    EXPECT_EQ(dtype.found, "F8_E4M3");
    const auto count = std::count(result.contract.status.begin(), result.contract.status.end(),
                                  TensorStatus::WrongShape);
    EXPECT_EQ(count, 1);
    for (const Finding& finding : result.findings)
        EXPECT_EQ(finding.severity, Severity::Error);
}

TEST(Contract, FoldsEqualFindingsWithACount) {
    const graph::Graph graph = test::tinyGraph({.layers = 8});
    auto tensors = wanted(graph);
    std::erase_if(tensors, [](const Wanted& each) { return each.name.ends_with(".gate"); });
    const ContractResult result = compare(graph, tensors);
    ASSERT_EQ(result.findings.size(), 1U);
    EXPECT_EQ(result.findings[0].count, 8);
    EXPECT_EQ(result.findings[0].examples.size(), 5U);
}

TEST(Contract, IgnoresWhatTheRecipeDeclares) {
    graph::Graph graph = test::tinyGraph({});
    graph.ignoredTensors = {"*.rotary_emb.inv_freq", "extra"};
    auto tensors = wanted(graph);
    tensors.push_back({"layers.0.rotary_emb.inv_freq", DType::F32, {8}});
    tensors.push_back({"extra", DType::F32, {8}});
    tensors.push_back({"extra2", DType::F32, {8}});
    const ContractResult result = compare(graph, tensors);
    EXPECT_EQ(result.contract.ignored, 2);
    EXPECT_EQ(result.contract.unexpected, 1);
}

TEST(Contract, AFamilyInOneTensorBecomesViews) {
    graph::Graph graph = test::tinyGraph({.layers = 1, .inner = 32, .experts = 4});
    std::size_t family = 0;
    for (std::size_t id = 0; id < graph.weights.size(); ++id) {
        if (graph.weights[id].tensor == "layers.0.experts.{}.up") {
            graph.weights[id].tensor = "ffn_up_exps";
            family = id;
        }
    }
    auto tensors = wanted(graph);
    named(tensors, "ffn_up_exps").shape = {4, 32, 64};
    const ContractResult result = compare(graph, tensors);
    EXPECT_TRUE(result.findings.empty());
    const auto& views = result.tensors[family];
    ASSERT_EQ(views.size(), 4U);
    EXPECT_EQ(views[3].bytes, 32 * 64 * 2);
    EXPECT_EQ(views[3].offset - views[0].offset, 3 * 32 * 64 * 2);
    EXPECT_EQ(views[3].shape, (Shape{32, 64}));
}

TEST(Contract, ExpertsOfOneLayerShareTheirType) {
    const graph::Graph graph = test::tinyGraph({.layers = 1, .experts = 4});
    auto tensors = wanted(graph);
    named(tensors, "layers.0.experts.2.down").dtype = DType::F16;
    const ContractResult result = compare(graph, tensors);
    EXPECT_EQ(findCode(result.findings, "tensor-dtype").tensor, "layers.0.experts.2.down");
}

// A family as fp8 bytes with a scale beside each expert.
static graph::Graph packedGraph() {
    graph::Graph graph = test::tinyGraph({.layers = 1, .inner = 32, .experts = 4, .chosen = 2});
    for (graph::Weight& weight : graph.weights) {
        if (weight.experts == 0)
            continue;
        weight.packing.name = "pairs in bytes";
        weight.packing.shape = {weight.shape[0], weight.shape[1] / 2};
        weight.packing.perElement = 2;
        weight.packing.dtypes = {DType::U8};
        weight.packing.companions = {
            {weight.tensor + "_scale", {weight.shape[0], 2}, {DType::BF16}}};
    }
    return graph;
}

static std::vector<Wanted> packedTensors(const graph::Graph& graph) {
    std::vector<Wanted> out;
    for (const graph::Weight& weight : graph.weights) {
        for (int part = 0; part < weight.parts(); ++part) {
            out.push_back({weight.expertName(part),
                           weight.packing.plain() ? DType::BF16 : DType::U8, weight.storedShape()});
            for (const graph::Companion& beside : weight.packing.companions)
                out.push_back(
                    {weight.expertName(part, beside), DType::BF16, weight.storedShape(beside)});
        }
    }
    return out;
}

TEST(Contract, CountsPackedValuesAndKeepsScalesApart) {
    const graph::Graph graph = packedGraph();
    const auto tensors = packedTensors(graph);
    const ContractResult result = compare(graph, tensors);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.contract.matched, static_cast<std::int64_t>(tensors.size()));
    const auto experts = static_cast<std::size_t>(graph::WeightKind::RoutedExperts);
    const std::int64_t values = 4 * 3 * 32 * 64;
    EXPECT_EQ(result.contract.parametersByKind[experts], values);
    EXPECT_EQ(result.contract.bytesByKind[experts], values);  // test tensors: two bytes an element
    EXPECT_EQ(result.contract.scaleBytes, 4 * (32 + 32 + 64) * 2 * 2);
    std::int64_t elements = 0;
    for (const Wanted& each : tensors)
        elements += *each.shape.count();
    EXPECT_EQ(result.contract.storedValues, elements + values / 2);
    for (std::size_t id = 0; id < graph.weights.size(); ++id) {
        if (graph.weights[id].experts > 0) {
            EXPECT_EQ(result.stored[id].scaleBytesPerTensor, graph.weights[id].shape[0] * 2 * 2);
        }
    }
}

TEST(Contract, NamesAScaleThatIsMissingMisshapedOrOfAnotherType) {
    const graph::Graph graph = packedGraph();
    auto tensors = packedTensors(graph);
    named(tensors, "layers.0.experts.1.up_scale").name = "layers.0.experts.1.up_scales";
    named(tensors, "layers.0.experts.2.up_scale").shape = {2, 32};
    named(tensors, "layers.0.experts.3.up_scale").dtype = DType::F32;
    named(tensors, "layers.0.experts.3.down").dtype = DType::I8;
    const ContractResult result = compare(graph, tensors);
    EXPECT_EQ(findCode(result.findings, "tensor-missing").tensor, "layers.0.experts.1.up_scale");
    EXPECT_EQ(findCode(result.findings, "tensor-unexpected").tensor,
              "layers.0.experts.1.up_scales");
    EXPECT_EQ(findCode(result.findings, "tensor-shape").tensor, "layers.0.experts.2.up_scale");
    const Finding dtype = findCode(result.findings, "tensor-dtype");
    EXPECT_TRUE(dtype.expected == "BF16" || dtype.expected == "U8");
    const auto wrong = std::count(result.contract.status.begin(), result.contract.status.end(),
                                  TensorStatus::WrongType);
    EXPECT_EQ(wrong, 2);
    EXPECT_EQ(result.contract.missing, 1);
}

TEST(Contract, DeclaredWeightsMustBeThereAndAreIgnored) {
    graph::Graph graph = test::tinyGraph({});
    graph::Weight draft;
    draft.tensor = "draft.proj";
    draft.shape = {8, 4};
    draft.kind = graph::WeightKind::Mtp;
    graph.declared = {draft};
    auto tensors = wanted(graph);
    const std::int64_t active = compare(graph, tensors).contract.activeParameters;
    EXPECT_EQ(findCode(compare(graph, tensors).findings, "tensor-missing").tensor, "draft.proj");
    tensors.push_back({"draft.proj", DType::BF16, {8, 4}});
    const ContractResult result = compare(graph, tensors);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.contract.ignored, 1);
    const auto kind = static_cast<std::size_t>(graph::WeightKind::Mtp);
    EXPECT_EQ(result.contract.parametersByKind[kind], 32);
    EXPECT_EQ(result.contract.bytesByKind[kind], 64);
    EXPECT_EQ(result.contract.activeParameters, active);
    EXPECT_EQ(result.tensors.size(), graph.weights.size());
}

TEST(Contract, TakesOnlyNumbersWrittenAsCountsForExperts) {
    const graph::Graph graph = test::tinyGraph({.layers = 1, .experts = 12});
    auto tensors = wanted(graph);
    named(tensors, "layers.0.experts.7.up").name = "layers.0.experts.07.up";
    const ContractResult result = compare(graph, tensors);
    EXPECT_EQ(findCode(result.findings, "tensor-missing").tensor, "layers.0.experts.7.up");
    EXPECT_EQ(findCode(result.findings, "tensor-unexpected").tensor, "layers.0.experts.07.up");
}

TEST(Contract, ATypeThatNoKernelReadsIsCountedAndSaid) {
    const graph::Graph graph = test::tinyGraph({});
    auto tensors = wanted(graph);
    const auto matrix = std::find_if(tensors.begin(), tensors.end(),
                                     [](const Wanted& each) { return each.shape.rank() == 2; });
    matrix->dtype = DType::Q5_0;
    const ContractResult result = compare(graph, tensors);
    ASSERT_EQ(test::codes(result.findings), "dtype-unsupported");
    EXPECT_EQ(result.findings[0].severity, Severity::Warning);
    EXPECT_EQ(result.findings[0].found, "Q5_0");
    EXPECT_EQ(result.contract.matched, static_cast<std::int64_t>(tensors.size()));
    // A norm is read value by value.
    const auto norm = std::find_if(tensors.begin(), tensors.end(),
                                   [](const Wanted& each) { return each.shape.rank() == 1; });
    norm->dtype = DType::Q8_0;
    EXPECT_EQ(findCode(compare(graph, tensors).findings, "tensor-dtype").tensor, norm->name);
}

TEST(Contract, WhereAllScalesAreMissingThatIsSaidOnce) {
    graph::Graph graph = test::tinyGraph({});
    auto tensors = wanted(graph);
    std::vector<std::string> packed;
    for (graph::Weight& weight : graph.weights) {
        if (weight.shape.rank() != 2)
            continue;
        packed.push_back(weight.tensor);
        weight.packing.name = "fp8";
        weight.packing.dtypes = {DType::F8E4M3};
        weight.packing.companions = {{weight.tensor + ".weight_scale", {1, 1}, {DType::F32}}};
        named(tensors, weight.tensor).dtype = DType::F8E4M3;
    }
    ASSERT_GT(packed.size(), 1U);
    const Finding all = findCode(compare(graph, tensors).findings, "companions-missing");
    EXPECT_EQ(all.tensor, "*.weight_scale");
    EXPECT_EQ(all.expected, "one per F8_E4M3 weight (" + std::to_string(packed.size()) + ")");
    EXPECT_EQ(all.found, "0");
    tensors.push_back({packed.front() + ".weight_scale", DType::F32, {1, 1}});
    const auto some = compare(graph, tensors).findings;
    EXPECT_EQ(findCode(some, "tensor-missing").count, static_cast<std::int64_t>(packed.size()) - 1);
    EXPECT_EQ(test::codes(some).find("companions-missing"), std::string::npos);
    // Of a recipe that is being written: a name without a dot.
    for (graph::Weight& weight : graph.weights) {
        if (!weight.packing.companions.empty())
            weight.packing.companions[0].tensor = "scales";
    }
    EXPECT_NE(test::codes(compare(graph, tensors).findings).find("companions-missing"),
              std::string::npos);
}

}  // namespace fl::recipe
