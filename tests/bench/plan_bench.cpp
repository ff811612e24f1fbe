// SPDX-License-Identifier: Apache-2.0
// How long plans and searches take at the size of a trillion parameters: a made-up decoder of 93
// layers with 896 experts, and the checkpoint that FIRSTLIGHT_GIANT names.
#include <cstdlib>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "engine/base/paths.h"
#include "engine/plan/plan.h"
#include "engine/service/prepare.h"
#include "engine/topology/cluster_file.h"
#include "tests/support/tiny_graph.h"

namespace fl {
namespace {

struct Model {
    graph::Graph graph;
    std::vector<plan::StoredWeight> stored;
};

Model madeUp() {
    Model model;
    model.graph = test::tinyGraph({.layers = 93,
                                   .hidden = 7168,
                                   .vocab = 163'840,
                                   .heads = 96,
                                   .kvHeads = 8,
                                   .headDim = 128,
                                   .inner = 2048,
                                   .experts = 896,
                                   .chosen = 16,
                                   .context = 1 << 20});
    model.stored = test::storedAs(model.graph, DType::F8E4M3);
    return model;
}

// Nothing where the variable is not set or names no checkpoint that can be planned.
std::unique_ptr<service::Inspection> giant() {
    const char* folder = std::getenv("FIRSTLIGHT_GIANT");
    if (folder == nullptr)
        return nullptr;
    protocol::JobSettings settings;
    settings.checkpoint = folder;
    auto found = service::inspectCheckpoint(settings);
    if (!found || hasErrors(found->findings))
        return nullptr;
    return std::make_unique<service::Inspection>(std::move(*found));
}

topology::Cluster superpod() {
    auto cluster = topology::readClusterFile(resourcesDir() + "/clusters/superpod-128x8.json");
    return cluster ? *cluster : topology::Cluster();
}

topology::Cluster firstNodes(std::size_t nodes) {
    topology::Cluster cluster = superpod();
    cluster.nodes.resize(nodes);
    std::erase_if(cluster.links, [&](const topology::Link& link) {
        return static_cast<std::size_t>(std::max(link.fromNode, link.toNode)) >= nodes;
    });
    return cluster;
}

plan::PlanOptions mesh(int dp, int pp, int tp, int ep) {
    plan::PlanOptions options;
    options.dp = dp;
    options.pp = pp;
    options.tp = tp;
    options.ep = ep;
    return options;
}

// Rules, ledger of every rank and the slices of every rank, on 256 devices.
void planOn256(benchmark::State& state,
               const graph::Graph& graph,
               const std::vector<plan::StoredWeight>& stored) {
    const topology::Cluster cluster = firstNodes(32);
    std::size_t slices = 0;
    for (auto unused : state) {
        const auto plan = plan::makePlan(graph, stored, cluster, mesh(8, 4, 8, 32));
        if (!plan || plan->ranks.size() != 256)
            return state.SkipWithError("no plan");
        slices = 0;
        for (int rank = 0; rank < 256; ++rank)
            slices += plan::slicesOf(graph, stored, *plan, rank).size();
    }
    state.counters["slices"] = static_cast<double>(slices);
}

void searchOn1024(benchmark::State& state,
                  const graph::Graph& graph,
                  const std::vector<plan::StoredWeight>& stored) {
    const topology::Cluster cluster = superpod();
    plan::SearchState found;
    for (auto unused : state)
        found = plan::searchPlans(graph, stored, cluster, {}, {});
    state.counters["meshes"] = static_cast<double>(found.total);
    state.counters["legal"] = static_cast<double>(found.legal);
}

void registerFor(const std::string& name,
                 const graph::Graph& graph,
                 const std::vector<plan::StoredWeight>& stored) {
    benchmark::RegisterBenchmark((name + "/plan on 256").c_str(), planOn256, graph, stored)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((name + "/search on 1024").c_str(), searchOn1024, graph, stored)
        ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace fl

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    const fl::Model model = fl::madeUp();
    fl::registerFor("made-up", model.graph, model.stored);
    const auto giant = fl::giant();
    if (giant)
        fl::registerFor("giant", giant->model.graph, giant->model.stored);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
