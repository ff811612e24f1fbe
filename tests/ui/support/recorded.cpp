// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/recorded.h"

#include <algorithm>
#include <cmath>

#include "tests/ui/support/recorded_parts.h"

namespace fl::test {

protocol::Census smollmCensus() {
    protocol::Census census;
    census.path = "models/SmolLM2-135M-Instruct.Q4_1.gguf";
    census.name = "SmolLM2-135M-Instruct.Q4_1.gguf";
    census.format = "gguf";
    census.architecture = "LlamaForCausalLM";
    census.recipe = "llama";
    census.files = 1;
    countKinds(smollmTensors(), census);
    census.fileBytes = census.tensorBytes + 1'750'000;
    census.parameters = 134'515'008;
    census.activeParameters = census.parameters;
    census.layers = 30;
    census.distinctLayers = {{"text", 1}};
    census.contextLength = 8192;
    census.contract.matched = census.tensors;
    census.shards = {{census.name, census.fileBytes, census.tensors, "whole"}};
    return census;
}

protocol::Topology smollmTopology() {
    protocol::Topology topology;
    topology.name = "local";
    protocol::NodeInfo node;
    node.name = "workshop";
    node.sockets = 1;
    node.cores = 8;
    node.numaNodes = 1;
    node.memoryBytes = 32 * kGiB;
    node.caches = {{1, 32 * kKiB, 8}, {2, 2 * kMiB, 8}, {3, 32 * kMiB, 1}};
    for (int card = 0; card < 6; ++card) {
        protocol::DeviceInfo device;
        device.name = "CPU card " + std::to_string(card);
        device.kind = "cpu";
        device.index = card;
        device.memoryBytes = 2 * kGiB;
        device.budgetBytes = 512 * kMiB;
        device.numa = 0;
        device.rank = card;
        node.devices.push_back(device);
    }
    topology.nodes = {node};
    topology.links = {{"memory", 0, -1, 0, -1, 0, 18.4e9}};
    topology.groups = {formed(group("tp", 0, {0, 1, 2}), 38e-6, 3.1e9),
                       formed(group("tp", 1, {3, 4, 5}), 41e-6, 2.9e9),
                       formed(group("pp", 0, {0, 3}), 22e-6, 3.4e9),
                       formed(group("pp", 1, {1, 4}), 23e-6, 3.4e9),
                       formed(group("pp", 2, {2, 5}), 22e-6, 3.3e9)};
    return topology;
}

protocol::PlanInfo smollmPlan() {
    protocol::PlanInfo plan;
    plan.mesh = {1, 2, 1, 3};
    plan.name = "tp3·pp2";
    plan.layers = 30;
    plan.maxContext = 4096;
    plan.maxSequences = 8;
    plan.compute = "int8";
    plan.kv = "bf16";
    plan.legalTp = {1, 3, 9};
    plan.legalPp = {1, 2, 3, 5, 6};
    plan.legalEp = {1};
    plan.legalDp = {1, 2};
    plan.predicted = {0.0068, "weights"};
    plan.alternatives = {alternative({1, 2, 1, 3}, 172 * kMiB, 340 * kMiB, 0.0068),
                         alternative({1, 1, 1, 3}, 176 * kMiB, 336 * kMiB, 0.0071),
                         alternative({2, 1, 1, 3}, 176 * kMiB, 336 * kMiB, 0.0071),
                         alternative({1, 3, 1, 1}, 205 * kMiB, 307 * kMiB, 0.0124),
                         alternative({1, 1, 1, 1}, 331 * kMiB, 181 * kMiB, 0.0152)};
    for (int rank = 0; rank < 6; ++rank) {
        protocol::RankInfo info;
        info.rank = rank;
        info.node = "workshop";
        info.device = "CPU card " + std::to_string(rank);
        info.stage = info.pp = rank / 3;
        info.tp = rank % 3;
        info.firstLayer = info.pp == 0 ? 0 : 14;
        info.endLayer = info.pp == 0 ? 14 : 30;
        info.capacity = 512 * kMiB;
        info.layerBytes.assign(std::size_t(info.endLayer - info.firstLayer), 742'400 + 4608);
        info.embedBytes = info.pp == 0 ? 49152LL * 576 / 32 * 34 / 3 : 0;
        info.headBytes = info.pp == 1 ? 49152LL * 576 / 32 * 34 / 3 + 2304 : 0;
        info.ledger.weights = std::int64_t(info.layerBytes.size()) * (742'400 + 4608) +
                              info.embedBytes + info.headBytes;
        info.ledger.kv = std::int64_t(info.layerBytes.size()) * 4096 * 8 * 128 * 2;
        info.ledger.activations = 11 * kMiB;
        info.ledger.communication = 2 * kMiB;
        info.ledger.context = 6 * kMiB;
        info.ledger.staging = 4 * kMiB;
        info.ledger.replicatedWeights = 15 * 4608;
        total(info.ledger);
        plan.ranks.push_back(info);
    }
    return plan;
}

protocol::PlanInfo smollmRefused() {
    protocol::PlanInfo plan = smollmPlan();
    plan.mesh.tp = 2;
    plan.name = "tp2·pp2";
    plan.ranks.clear();
    plan.verdict = "errors";
    Finding heads;
    heads.code = "tp-heads";
    heads.stage = "plan";
    heads.message = "TP 2 does not divide 9 attention heads";
    heads.key = "tp";
    heads.expected = "1, 3, 9";
    heads.found = "2";
    heads.remedy = "Use TP 1, 3 or 9";
    Finding kv = heads;
    kv.code = "tp-kv-heads";
    kv.message = "TP 2 does not divide 3 key–value heads";
    kv.expected = "1, 3";
    kv.remedy = "Use TP 1 or 3";
    plan.violations = {heads, kv};
    return plan;
}

std::vector<protocol::SliceInfo> smollmSlices(int rank) {
    std::vector<protocol::SliceInfo> slices;
    const protocol::RankInfo info = smollmPlan().ranks[std::size_t(rank)];
    for (const protocol::TensorRow& row : smollmTensors()) {
        if (!row.name.starts_with("blk."))
            continue;
        const int layer = std::stoi(row.name.substr(4));
        if (layer < info.firstLayer || layer >= info.endLayer)
            continue;
        const bool cut = row.shape.size() > 1;
        const bool byColumn = row.name.find("output") != std::string::npos ||
                              row.name.find("down") != std::string::npos;
        protocol::SliceInfo slice;
        slice.tensor = row.name;
        slice.layer = layer;
        slice.kind = row.kind;
        slice.dtype = row.dtype;
        slice.axis = cut ? (byColumn ? 1 : 0) : -1;
        const std::int64_t size = cut ? row.shape[byColumn ? 1 : 0] : 0;
        slice.begin = cut ? size / 3 * info.tp : 0;
        slice.end = cut ? size / 3 * (info.tp + 1) : 0;
        slice.bytes = cut ? row.bytes / 3 : row.bytes;
        slice.file = "SmolLM2-135M-Instruct.Q4_1.gguf";
        slices.push_back(slice);
    }
    return slices;
}

protocol::Snapshot smollmPlanned() {
    protocol::Snapshot snapshot;
    snapshot.openedAt = kRecordedNow - 200;
    snapshot.settings.checkpoint = smollmCensus().path;
    snapshot.settings.cluster = "local";
    snapshot.settings.job = "smollm2";
    snapshot.stages = {stage("inspect", "passed", "272 tensors in 1 file", 0.04),
                       stage("plan", "passed", "Fits: 172 of 512 MiB", 0.01)};
    snapshot.hasCensus = snapshot.hasTopology = snapshot.hasPlan = true;
    snapshot.census = smollmCensus();
    snapshot.topology = smollmTopology();
    for (protocol::GroupInfo& planned : snapshot.topology.groups) {
        planned.state = "planned";
        planned.allReduceSeconds = planned.ringBytesPerSecond = 0;
    }
    snapshot.plan = smollmPlan();
    return snapshot;
}

namespace {

void addSteps(protocol::Snapshot& snapshot) {
    for (int i = 0; i < 300; ++i) {
        protocol::StepSample step;
        step.time = kRecordedNow - 58 + i * 0.19;
        step.seconds = 0.0312 + 0.0018 * jitter(i) + (i % 71 == 40 ? 0.021 : 0);
        step.decodeTokens = 1;
        step.running = 1;
        step.prefillTokens = i % 71 == 40 ? 31 : 0;
        step.pagesUsed = 4 + i / 16;
        step.pages = 2048;
        snapshot.steps.push_back(step);
    }
}

void addConversation(protocol::Snapshot& snapshot) {
    protocol::ChatRequest request;
    request.request = "q1";
    request.messages = {
        {"system", "You are a helpful AI assistant named SmolLM, trained by Hugging Face"},
        {"user", "What is the capital of France?"}};
    protocol::ChatDone answer;
    answer.request = "q1";
    answer.finish = "stop";
    answer.text = "The capital of France is Paris.";
    answer.ids = {504, 3575, 282, 4649, 314, 7042, 30};
    answer.timing = {0.184, 31.2, 0.0312, 0.0524, 0.41};
    snapshot.chats = {request};
    snapshot.answers = {answer};
}

}  // namespace

protocol::Snapshot smollmServing() {
    protocol::Snapshot snapshot = smollmPlanned();
    snapshot.topology = smollmTopology();
    snapshot.stages.push_back(stage("launch", "passed", "6/6 ranks", 1.3));
    snapshot.stages.push_back(stage("load", "passed", "121 MiB at 411 MiB/s", 0.41));
    for (const protocol::RankInfo& info : snapshot.plan.ranks) {
        protocol::RankState state;
        state.rank = info.rank;
        state.pid = 48'100 + info.rank;
        state.host = "workshop";
        state.phase = "serving";
        state.seconds = 64;
        snapshot.ranks.push_back(state);
        snapshot.load.push_back({info.rank, 136, 136, info.ledger.weights, info.ledger.weights,
                                 61.0e6, "SmolLM2-135M-Instruct.Q4_1.gguf"});
        protocol::MemorySample sample;
        sample.time = kRecordedNow - 1;
        sample.rank = info.rank;
        sample.used = info.ledger;
        sample.used.staging = 0;
        sample.used.activations = 9 * kMiB;
        total(sample.used);
        sample.budget = info.capacity;
        sample.peak = sample.used.total + 4 * kMiB;
        sample.resident = sample.used.total + 31 * kMiB;
        sample.utilisation = 0.31 + 0.03 * jitter(info.rank);
        snapshot.memory.push_back(sample);
    }
    snapshot.log = {
        line(61.2, -1, "info", "service", "opened SmolLM2-135M-Instruct.Q4_1.gguf, 272 tensors"),
        line(60.9, -1, "info", "plan", "tp3·pp2 on 6 cards, 172 of 512 MiB"),
        line(60.4, 0, "info", "comm", "joined 6 ranks over shared memory"),
        line(60.1, 3, "info", "device", "CPU card 3: 2 threads, budget 512 MiB"),
        line(59.8, 0, "info", "comm", "tp0 formed: all-reduce 16 KiB in 38.0 µs"),
        line(59.7, 3, "info", "comm", "tp1 formed: all-reduce 16 KiB in 41.0 µs"),
        line(59.2, 4, "info", "load", "136 of 136 tensors, 20.1 MiB in 0.41 s"),
        line(58.9, 2, "warning", "runtime", "threads 12 on 8 cores: ranks yield while they wait"),
        line(58.4, 0, "info", "scheduler", "q1: 31 prompt tokens, first token after 0.184 s"),
        line(57.9, 0, "info", "scheduler", "q1: 7 tokens, stop, 31.2 tok/s")};
    Finding cores;
    cores.code = "threads-exceed-cores";
    cores.severity = Severity::Warning;
    cores.stage = "launch";
    cores.message = "12 threads of 6 ranks share 8 cores";
    cores.found = "12 threads, 8 cores";
    cores.remedy = "Ranks yield while they wait; give each card one thread for steadier steps";
    Finding tied;
    tied.code = "tied-embedding";
    tied.severity = Severity::Info;
    tied.stage = "inspect";
    tied.message = "The head uses the token embedding, as the configuration says";
    snapshot.findings = {cores, tied};
    addSteps(snapshot);
    addConversation(snapshot);
    return snapshot;
}

}  // namespace fl::test
