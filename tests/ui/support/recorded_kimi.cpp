// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "tests/ui/support/recorded.h"
#include "tests/ui/support/recorded_parts.h"

namespace fl::test {

protocol::Census kimiCensus() {
    protocol::Census census;
    census.path = "models/Kimi-K2.5";
    census.name = "Kimi-K2.5";
    census.format = "safetensors";
    census.architecture = "KimiK25ForConditionalGeneration";
    census.recipe = "kimi_k25";
    census.files = 64;
    const std::vector<protocol::TensorRow> rows = kimiTensors();
    countKinds(rows, census);
    census.fileBytes = census.tensorBytes + 64 * kMiB;
    census.parameters = 1'058'600'000'000;
    census.activeParameters = 32'000'000'000;
    census.layers = 61;
    census.distinctLayers = {{"text", 2}};
    census.contextLength = 262'144;
    for (const protocol::TensorRow& row : rows)
        ++(row.contract == "ignored" ? census.contract.ignored : census.contract.matched);
    for (int shard = 0; shard < 64; ++shard) {
        const std::string number = std::to_string(shard + 1);
        protocol::ShardInfo info;
        info.file =
            "model-" + std::string(5 - number.size(), '0') + number + "-of-00064.safetensors";
        info.bytes = census.fileBytes / 64;
        info.tensors = census.tensors / 64;
        info.state = shard == 36 ? "warning" : "whole";
        census.shards.push_back(info);
    }
    census.verdict = "warnings";
    return census;
}

protocol::Topology kimiTopology() {
    protocol::Topology topology;
    topology.name = "lab-4x8";
    const char* names[] = {"node-a", "node-b", "node-c", "node-d"};
    for (int n = 0; n < 4; ++n) {
        protocol::NodeInfo node;
        node.name = names[n];
        node.sockets = 2;
        node.cores = 96;
        node.memoryBytes = 2048 * kGiB;
        for (int card = 0; card < 8; ++card) {
            protocol::DeviceInfo device;
            device.name = "H100 80 GiB";
            device.kind = "cuda";
            device.index = card;
            device.memoryBytes = 80 * kGiB;
            device.budgetBytes = gib(73.6);
            device.rank = n * 8 + card;
            node.devices.push_back(device);
        }
        topology.nodes.push_back(node);
        topology.links.push_back({"nvlink", n, -1, n, -1, 450e9, 431e9});
        // Four ports a node; one of node-c trained at a quarter of its rate.
        for (int port = 0; port < 4; ++port) {
            const bool slow = n == 2 && port == 3;
            const double measured = slow ? 12e9 : 46.8e9 + (n + port) % 3 * 0.1e9;
            topology.links.push_back({"network", n, -1, -1, -1, 50e9, measured});
        }
    }
    for (int n = 0; n < 4; ++n) {
        std::vector<int> ranks;
        for (int card = 0; card < 8; ++card)
            ranks.push_back(n * 8 + card);
        topology.groups.push_back(formed(group("tp", n, ranks), 11e-6, 401e9));
        topology.groups.push_back(formed(group("ep", n, ranks), 11e-6, 398e9));
    }
    for (int card = 0; card < 8; ++card)
        topology.groups.push_back(
            formed(group("pp", card, {card, card + 8, card + 16, card + 24}), 38e-6, 21e9));
    return topology;
}

protocol::PlanInfo kimiPlan() {
    protocol::PlanInfo plan;
    plan.mesh = {1, 4, 8, 8};
    plan.name = "tp8·pp4·ep8";
    plan.layers = 61;
    plan.maxContext = 131'072;
    plan.maxSequences = 16;
    plan.compute = "bf16";
    plan.kv = "bf16";
    plan.legalTp = {1, 2, 4, 8, 16, 32};
    plan.legalPp = {1, 2, 4, 8, 16};
    plan.legalEp = {1, 2, 4, 8};
    plan.legalDp = {1, 2, 4};
    plan.predicted.step = 0.0146;
    plan.predicted.bound = "weights";
    const double peaks[] = {61.2, 62.3, 44.6, 37.2, 44.0, 35.9, 33.4};
    const protocol::MeshInfo meshes[] = {{1, 4, 8, 8}, {2, 2, 16, 8}, {2, 4, 8, 4}, {4, 4, 8, 2},
                                         {1, 8, 4, 4}, {2, 8, 4, 2},  {4, 8, 4, 1}};
    const double steps[] = {14.6, 14.9, 16.1, 17.3, 18.2, 19.8, 22.4};
    for (int i = 0; i < 7; ++i)
        plan.alternatives.push_back(
            alternative(meshes[i], gib(peaks[i]), gib(73.6 - peaks[i]), steps[i] / 1000));
    const int firsts[] = {0, 16, 31, 46, 61};
    const char* names[] = {"node-a", "node-b", "node-c", "node-d"};
    for (int rank = 0; rank < 32; ++rank) {
        protocol::RankInfo info;
        info.rank = rank;
        info.pp = info.stage = rank / 8;
        info.tp = rank % 8;
        info.node = names[info.pp];
        info.device = "H100 80 GiB";
        info.firstLayer = firsts[info.pp];
        info.endLayer = firsts[info.pp + 1];
        info.capacity = gib(73.6);
        for (int layer = info.firstLayer; layer < info.endLayer; ++layer)
            info.layerBytes.push_back(layer == 0 ? gib(0.14) : gib(1.17));
        info.embedBytes = info.pp == 0 ? gib(0.27) : 0;
        info.headBytes = info.pp == 3 ? gib(0.27) : 0;
        const std::int64_t layers = info.endLayer - info.firstLayer;
        info.ledger.weights = gib(1.05) * (layers - (info.pp == 0 ? 1 : 0)) + gib(0.5);
        info.ledger.scales = gib(0.12) * layers;
        info.ledger.kv = gib(2.3) * layers;
        info.ledger.activations = gib(info.pp == 0 ? 3.4 : 2.8);
        info.ledger.communication = gib(1.2);
        info.ledger.context = gib(0.9);
        info.ledger.staging = gib(0.7);
        info.ledger.replicatedWeights = gib(0.64);
        total(info.ledger);
        plan.ranks.push_back(info);
    }
    return plan;
}

namespace {

protocol::MemorySample loadingSample(const protocol::RankInfo& info) {
    const double done = (info.pp == 2 ? 0.35 : 0.74) + 0.012 * jitter(info.rank);
    protocol::MemorySample sample;
    sample.time = kRecordedNow - 0.2;
    sample.rank = info.rank;
    sample.used.weights = std::llround(double(info.ledger.weights) * done);
    sample.used.scales = std::llround(double(info.ledger.scales) * done);
    sample.used.context = gib(0.9);
    sample.used.staging = gib(0.7);
    total(sample.used);
    sample.budget = info.capacity;
    sample.peak = sample.used.total;
    sample.utilisation = 0.12 + 0.04 * jitter(info.rank, 2);
    sample.temperature = std::round(43 + 3 * jitter(info.rank, 1));
    return sample;
}

void addReadSteps(protocol::Snapshot& snapshot) {
    for (int i = 0; i < 120; ++i) {
        protocol::StepSample step;
        step.time = kRecordedNow - 110 + i * 0.9;
        step.seconds = 0.0146 + 0.0011 * jitter(i) + (i % 40 == 17 ? 0.008 : 0);
        step.decodeTokens = 12;
        step.running = 12;
        snapshot.steps.push_back(step);
    }
}

protocol::Snapshot kimiPlanned() {
    protocol::Snapshot snapshot;
    snapshot.openedAt = kRecordedNow - 872;
    snapshot.settings.checkpoint = "models/Kimi-K2.5";
    snapshot.settings.cluster = "lab-4x8";
    snapshot.stages = {stage("inspect", "passed", "208,550 tensors in 64 shards", 1.8),
                       stage("plan", "passed", "Fits: 61.2 of 73.6 GiB", 0.6)};
    snapshot.hasCensus = snapshot.hasTopology = snapshot.hasPlan = true;
    snapshot.census = kimiCensus();
    snapshot.topology = kimiTopology();
    snapshot.plan = kimiPlan();
    return snapshot;
}

}  // namespace

protocol::Snapshot kimiLoading() {
    protocol::Snapshot snapshot = kimiPlanned();
    snapshot.stages.push_back(stage("launch", "warnings", "32/32 ranks, 1 slow link", 41.3));
    protocol::StageState load = stage("load", "running", "356.9 of 554.3 GiB", 104);
    load.progress = 0.64;
    load.progressText = "64 %, 3.43 GiB/s";
    load.secondsLeft = 197;
    snapshot.stages.push_back(load);
    for (const protocol::RankInfo& info : snapshot.plan.ranks) {
        protocol::RankState state;
        state.rank = info.rank;
        state.host = info.node;
        state.phase = "loading";
        snapshot.ranks.push_back(state);
        snapshot.memory.push_back(loadingSample(info));
        const std::int64_t bytes = info.ledger.weights + info.ledger.scales;
        const double done = info.pp == 2 ? 0.35 : 0.74;
        const int shard = info.firstLayer + int(done * double(info.endLayer - info.firstLayer));
        snapshot.load.push_back({info.rank, std::int64_t(done * 6500), 6500,
                                 std::llround(double(bytes) * done), bytes,
                                 double(gib(info.pp == 2 ? 0.46 : 0.99)) / 8,
                                 snapshot.census.shards[std::size_t(shard)].file});
    }
    snapshot.log = {line(9.4, 8, "info", "load", "tp1 pool reserved, 73.6 GiB"),
                    line(8.7, 29, "info", "load", "shard 58 of 64 opened"),
                    line(8.3, 3, "info", "load", "shard 24 of 64 closed, 8.66 GiB, finite"),
                    line(7.8, 11, "info", "load", "layers.24.mlp.experts 480/720 tensors"),
                    line(7.6, 21, "warning", "comm", "mlx5_2: 214 packets sent again"),
                    line(7.2, 26, "info", "load", "layers.55.self_attn.kv_b_proj sliced 8"),
                    line(6.9, 17, "info", "load", "waits for shard 37 (node-c)"),
                    line(6.7, 0, "info", "load", "356.9 of 554.3 GiB, 3.43 GiB/s")};
    Finding slow;
    slow.code = "slow-read";
    slow.severity = Severity::Warning;
    slow.stage = "load";
    slow.message = "node-c reads at 0.46 GiB/s, the others at 0.99";
    slow.found = "0.46 GiB/s";
    slow.expected = "0.99 GiB/s as on the other nodes";
    slow.remedy =
        "Port mlx5_2, its path to storage, trained at 100 of 400 Gb/s and drops packets: leave it "
        "out";
    Finding ignored;
    ignored.code = "tensors-ignored";
    ignored.severity = Severity::Info;
    ignored.stage = "inspect";
    ignored.message = "69,120 weight_shape tensors are ignored as the recipe declares";
    snapshot.findings = {slow, ignored};
    addReadSteps(snapshot);
    return snapshot;
}

protocol::Snapshot kimiFailed() {
    protocol::Snapshot snapshot = kimiPlanned();
    snapshot.stages.push_back(stage("launch", "failed", "Rank 13 died, SIGBUS", 12.4));
    for (const protocol::RankInfo& info : snapshot.plan.ranks) {
        protocol::RankState state;
        state.rank = info.rank;
        state.host = info.node;
        state.phase = info.pp == 1 ? "groups" : "stopped";
        state.seconds = 12.9;
        snapshot.ranks.push_back(state);
    }
    snapshot.topology.groups[2].state = "failed";  // tp1
    snapshot.topology.groups[2].allReduceSeconds = 0;
    snapshot.hasLost = true;
    snapshot.lost.rank = 13;
    snapshot.lost.host = "node-b";
    snapshot.lost.stage = "launch";
    snapshot.lost.cause = "signal 7 (SIGBUS)";
    snapshot.lost.signal = 7;
    snapshot.lost.lastLine =
        "nccl shm segment nccl-Kq3vYb: write of 33,554,432 B past the end, 64 MiB of 64 MiB used";
    snapshot.lost.collective = "set-up of tp1, step 3 of 5";
    snapshot.lost.seconds = 12.4;
    snapshot.lost.noticedSeconds = 0.6;
    snapshot.log = {line(12.4, 13, "info", "service", "process started, pid 48,113"),
                    line(8.8, 13, "info", "comm", "socket ib0, 4 ports"),
                    line(2.6, 13, "info", "comm", "tp1: 8 members, ring over NVLink"),
                    line(0.602, 13, "error", "nccl", "write past the end of nccl-Kq3vYb"),
                    line(0.6, 13, "error", "service", "signal 7 (SIGBUS)"),
                    line(0.015, -1, "info", "service", "31 ranks stopped, sockets closed")};
    Finding lost;
    lost.code = "rank-lost";
    lost.stage = "launch";
    lost.rank = 13;
    lost.message = "Rank 13 ended by signal 7 (SIGBUS)";
    lost.found = "signal 7 (SIGBUS) in set-up of tp1";
    lost.remedy = "Launch again with 16 GiB of shared memory";
    Finding memory = lost;
    memory.code = "shm-too-small";
    memory.message = "node-b: shared memory 64 MiB, 1.2 GiB needed";
    Finding waited;
    waited.code = "collective-waited";
    waited.severity = Severity::Warning;
    waited.stage = "launch";
    waited.message = "Ranks 8–12, 14, 15 waited 4.1 s in tp1";
    waited.count = 7;
    snapshot.findings = {lost, memory, waited};
    return snapshot;
}

}  // namespace fl::test
