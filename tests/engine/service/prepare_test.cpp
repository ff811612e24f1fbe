// SPDX-License-Identifier: Apache-2.0
// Covers: engine/service/census_report.cpp engine/service/plan_report.cpp
// Covers: engine/service/topology_report.cpp
#include "engine/service/prepare.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>

#include "app/linked_plugins.h"
#include "engine/device/plugin_registry.h"
#include "engine/protocol/codec.h"
#include "engine/service/reports.h"

namespace fl::service {
namespace {

protocol::JobSettings settings(const std::string& model, int tp, int pp) {
    protocol::JobSettings out;
    out.checkpoint = std::string(std::getenv("FIRSTLIGHT_TEST_DATA")) + "/models/" + model;
    out.cluster = "cpu:cards=4,memory=256MiB,threads=1";
    out.tp = tp;
    out.pp = pp;
    return out;
}

struct Prepared {
    Inspection inspection;
    Placement placement;
    protocol::PlanInfo info;

    explicit Prepared(const protocol::JobSettings& job) {
        auto inspected = inspectCheckpoint(job);
        EXPECT_TRUE(inspected) << inspected.error().message;
        inspection = std::move(*inspected);
        device::PluginRegistry registry(app::linkedPlugins());
        auto placed = placeModel(inspection, job, registry);
        EXPECT_TRUE(placed) << placed.error().message;
        placement = std::move(*placed);
        info = *planReport(inspection, placement);
    }
};

TEST(Prepare, GivesRanksTheSamePlanAgain) {
    const Prepared first(settings("tiny-qwen3-moe", 0, 0));
    const auto chosen = chosenSettings(settings("tiny-qwen3-moe", 0, 0), first.placement.plan);
    const Prepared again(chosen);
    EXPECT_EQ(protocol::encode(again.info.ranks), protocol::encode(first.info.ranks));
    EXPECT_EQ(again.info.name, first.info.name);
    EXPECT_EQ(again.info.maxContext, first.info.maxContext);
}

TEST(Prepare, WhatCannotBeComputedIsAnErrorOfThePlan) {
    const auto job = settings("tiny-llama", 1, 1);
    auto inspection = inspectCheckpoint(job);
    ASSERT_TRUE(inspection);
    Finding blocker;
    blocker.code = "config-unsupported";
    blocker.key = "hidden_act";
    inspection->model.unsupported.push_back(blocker);
    device::PluginRegistry registry(app::linkedPlugins());
    const auto placed = placeModel(*inspection, job, registry);
    ASSERT_TRUE(placed);
    ASSERT_TRUE(hasErrors(placed->plan.findings));
    EXPECT_EQ(placed->plan.findings.back().key, "hidden_act");
    EXPECT_EQ(placed->plan.findings.back().stage, "plan");
}

TEST(Prepare, NamesTheLegalValuesOfEveryOption) {
    auto job = settings("tiny-llama", 1, 1);
    job.compute = "f23";
    EXPECT_EQ(planOptions(job).error().message, "compute 'f23' is not one of auto, f32, bf16");
    job = settings("tiny-llama", 1, 1);
    job.kv = "q4";
    EXPECT_FALSE(planOptions(job));
    job = settings("tiny-llama", -1, 1);
    EXPECT_NE(planOptions(job).error().message.find("tp is -1"), std::string::npos);
    job = settings("tiny-llama", 1, 1);
    job.offload = "experts";
    EXPECT_EQ(planOptions(job).error().code, ErrorCode::Unsupported);
}

TEST(Prepare, SaysWhatHasNoKernelYet) {
    Prepared model(settings("tiny-llama", 1, 1));
    EXPECT_FALSE(missingKernels(model.inspection));
    graph::Node node;
    node.op = "mla_attention";
    model.inspection.model.graph.nodes.push_back(node);
    const auto finding = missingKernels(model.inspection);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->code, "kernels-missing");
    EXPECT_EQ(finding->found, "none for: operator mla_attention");
    EXPECT_EQ(finding->severity, Severity::Error);
}

TEST(CensusReport, CountsEveryTensorOnce) {
    const Prepared all(settings("tiny-llama", 1, 1));
    const protocol::Census census = censusReport(all.inspection);
    const auto sum = [](const std::vector<protocol::Named>& rows) {
        return std::accumulate(
            rows.begin(), rows.end(), std::int64_t{0},
            [](std::int64_t total, const auto& row) { return total + row.value; });
    };
    EXPECT_EQ(sum(census.bytesByDtype), census.tensorBytes);
    EXPECT_EQ(sum(census.parametersByKind), census.parameters);
    std::int64_t tensors = 0;
    for (const protocol::ShardInfo& shard : census.shards) {
        tensors += shard.tensors;
        EXPECT_EQ(shard.state, "whole");
    }
    EXPECT_EQ(tensors, census.tensors);
    EXPECT_EQ(census.verdict, "ok");
}

TEST(TensorsReport, SearchesAndPages) {
    const Prepared all(settings("tiny-llama", 1, 1));
    const auto everything = tensorsReport(all.inspection, {});
    EXPECT_EQ(everything.total, static_cast<std::int64_t>(everything.tensors.size()));
    EXPECT_TRUE(std::is_sorted(everything.tensors.begin(), everything.tensors.end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    for (const protocol::TensorRow& row : everything.tensors) {
        EXPECT_EQ(row.contract, "matched") << row.name;
        EXPECT_FALSE(row.kind.empty()) << row.name;
    }
    protocol::TensorsRequest page;
    page.search = "self_attn";
    page.offset = 1;
    page.limit = 2;
    const auto some = tensorsReport(all.inspection, page);
    ASSERT_EQ(some.tensors.size(), 2u);
    EXPECT_GT(some.total, 2);
    EXPECT_NE(some.tensors[0].name.find("self_attn"), std::string::npos);
}

TEST(PlanReport, SplitsTheWeightsIntoLayersEmbeddingAndHead) {
    const Prepared all(settings("tiny-llama", 2, 2));
    ASSERT_EQ(all.info.ranks.size(), 4u);
    for (const protocol::RankInfo& rank : all.info.ranks) {
        const std::int64_t layers =
            std::accumulate(rank.layerBytes.begin(), rank.layerBytes.end(), std::int64_t{0});
        EXPECT_EQ(rank.layerBytes.size(),
                  static_cast<std::size_t>(rank.endLayer - rank.firstLayer));
        EXPECT_GT(layers, 0);
        EXPECT_EQ(rank.embedBytes > 0, rank.stage == 0) << rank.rank;
        EXPECT_EQ(rank.headBytes > 0, rank.stage == 1) << rank.rank;
        EXPECT_GT(rank.capacity, rank.ledger.total);
    }
    EXPECT_EQ(all.info.verdict, "ok");
    EXPECT_FALSE(all.info.alternatives.empty());
    EXPECT_NE(std::find(all.info.legalTp.begin(), all.info.legalTp.end(), 2),
              all.info.legalTp.end());
}

TEST(SlicesReport, NamesFileAndPart) {
    const Prepared all(settings("tiny-qwen3-moe", 2, 1));
    const auto slices = slicesReport(all.inspection, all.placement.plan, 1).slices;
    ASSERT_FALSE(slices.empty());
    std::int64_t bytes = 0;
    for (const protocol::SliceInfo& slice : slices) {
        EXPECT_FALSE(slice.file.empty()) << slice.tensor;
        bytes += slice.bytes;
    }
    EXPECT_GT(bytes, 0);
    EXPECT_EQ(sliceText(all.placement.plan, 1).substr(0, 11), "layers 0–");
}

TEST(TopologyReport, PutsRanksOnDevices) {
    const Prepared all(settings("tiny-llama", 2, 2));
    const protocol::Topology topology = topologyReport(all.inspection, all.placement);
    ASSERT_EQ(topology.nodes.size(), 1u);
    ASSERT_EQ(topology.nodes[0].devices.size(), 4u);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(topology.nodes[0].devices[static_cast<std::size_t>(i)].rank, i);
    EXPECT_FALSE(topology.groups.empty());
    for (const protocol::GroupInfo& group : topology.groups)
        EXPECT_EQ(group.state, "planned");
}

}  // namespace
}  // namespace fl::service
