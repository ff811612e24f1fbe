// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/plan/ledger.h"
#include "engine/plan/rules.h"

namespace fl::plan {

using graph::Graph;
using graph::Node;

namespace {

Finding note(const char* code, Severity severity, const char* key, std::string message) {
    Finding finding;
    finding.code = code;
    finding.severity = severity;
    finding.stage = "plan";
    finding.key = key;
    finding.message = std::move(message);
    return finding;
}

std::vector<int> divisorsUpTo(std::int64_t number, std::int64_t most) {
    std::vector<int> out;
    for (std::int64_t value = 1; value <= std::min(number, most); ++value) {
        if (number % value == 0)
            out.push_back(static_cast<int>(value));
    }
    return out;
}

// Kinds of devices that ranks run on, each with one device and the number of its ranks.
std::map<std::string, std::pair<const topology::Device*, int>> devicesOf(
    const topology::Cluster& cluster, const Plan& plan) {
    std::map<std::string, std::pair<const topology::Device*, int>> out;
    for (const RankPlan& rank : plan.ranks) {
        const auto& node = cluster.nodes[static_cast<std::size_t>(rank.node)];
        const topology::Device& device = node.devices[static_cast<std::size_t>(rank.device)];
        auto& entry = out.try_emplace(device.name, &device, 0).first->second;
        ++entry.second;
    }
    return out;
}

// Stages that have no layer with a mixture.
std::vector<int> withoutExperts(const Graph& graph, const std::vector<Stage>& stages) {
    std::vector<bool> mixed(static_cast<std::size_t>(graph.layerCount), false);
    for (const Node& node : graph.nodes) {
        for (const graph::WeightId id : node.weights) {
            const graph::Weight& weight = graph.weights[static_cast<std::size_t>(id)];
            if (weight.split == graph::Split::Expert && node.layer >= 0 &&
                node.layer < graph.layerCount)
                mixed[static_cast<std::size_t>(node.layer)] = true;
        }
    }
    std::vector<int> out;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const auto first = mixed.begin() + stages[s].firstLayer;
        const auto end = mixed.begin() + stages[s].endLayer;
        if (std::none_of(first, end, [](bool one) { return one; }))
            out.push_back(static_cast<int>(s));
    }
    return out;
}

// What ranks keep in pages beyond what the model has: one cache per replica.
std::int64_t copiedCache(const Graph& graph, const Plan& plan) {
    std::int64_t held = 0;
    for (const RankPlan& rank : plan.ranks)
        held += rank.ledger[Category::Kv];
    std::int64_t needed = 0;
    for (const graph::State& state : graph.states) {
        if (state.kind == graph::State::Kind::Paged)
            needed += pageBytes(state, plan.options) * pagesPerSequence(state, plan.options);
    }
    return held - needed * plan.options.maxSequences * plan.mesh.dp;
}

// 0: the model has none of its own.
std::int64_t fewestKeyHeads(const Graph& graph) {
    std::int64_t fewest = 0;
    for (const graph::Weight& weight : graph.weights) {
        if (weight.shareable && weight.heads > 0)
            fewest = fewest == 0 ? weight.heads : std::min(fewest, weight.heads);
    }
    return fewest;
}

}  // namespace

void noteCopiedHeads(const Graph& graph, const Plan& plan, std::vector<Finding>& out) {
    const std::int64_t copies = copiedCache(graph, plan);
    if (copies <= 0)
        return;
    const std::int64_t fewest = fewestKeyHeads(graph);
    const int tp = plan.mesh.tp;
    const std::string which =
        fewest == 0 || fewest >= tp
            ? fmt::format("one latent of keys and values serves TP {}: every rank holds it", tp)
            : fmt::format("{} key/value {} TP {}: each is held by {} ranks", fewest,
                          fewest == 1 ? "head serves" : "heads serve", tp, tp / fewest);
    Finding finding =
        note("plan-kv-copies", Severity::Info, "tp",
             fmt::format("{}, {} of cache in all are copies", which, formatBytes(copies)));
    finding.expected =
        "TP " + listed(divisorsUpTo(fewest == 0 ? 1 : fewest, tp)) + " without copies";
    finding.found = std::to_string(tp);
    finding.remedy = "none needed; stages or replicas in place of tensor parallel ranks spare them";
    out.push_back(std::move(finding));
}

void noteStagesWithoutExperts(const Graph& graph, const Plan& plan, std::vector<Finding>& out) {
    if (plan.mesh.ep == 1)
        return;
    const std::vector<int> stages = withoutExperts(graph, plan.stages);
    if (stages.empty())
        return;
    Finding finding =
        note("plan-stage-experts", Severity::Warning, "pp",
             fmt::format("pipeline {} {} of {} no layer with experts: EP {} does nothing there",
                         stages.size() == 1 ? "stage" : "stages", listed(stages),
                         plan.stages.size(), plan.mesh.ep));
    finding.expected = "a layer with experts in every stage";
    finding.found = fmt::format("{} of {} stages without", stages.size(), plan.stages.size());
    finding.remedy = "choose fewer stages, or move their edges with --stage-layers";
    out.push_back(std::move(finding));
}

// As checkpoints spell types; of packed weights what is packed: their stored type is only what
// holds it ("mxfp4" in U8).
std::string formatOf(const graph::Weight& weight, const StoredWeight& stored) {
    if (weight.packing.perElement <= 1)
        return std::string(name(stored.dtype));
    const std::string& packed = weight.packing.name;
    return packed.substr(0, packed.find(','));
}

void noteFormats(const Graph& graph,
                 const std::vector<StoredWeight>& stored,
                 const topology::Cluster& cluster,
                 const Plan& plan,
                 std::vector<Finding>& out) {
    std::map<std::string, std::pair<std::int64_t, std::string>> held;  // bytes, an example
    for (std::size_t id = 0; id < graph.weights.size(); ++id) {
        if (graph.weights[id].shape.rank() < 2)
            continue;  // vectors are widened wherever they are used
        auto& entry = held[formatOf(graph.weights[id], stored[id])];
        entry.first += stored[id].bytesPerTensor * graph.weights[id].parts();
        entry.second = graph.weights[id].tensor;
    }
    for (const auto& [deviceName, entry] : devicesOf(cluster, plan)) {
        const auto& formats = entry.first->formats;
        for (const auto& [format, weights] : held) {
            if (formats.empty() ||
                std::find(formats.begin(), formats.end(), format) != formats.end())
                continue;
            Finding finding =
                note("plan-format", Severity::Warning, "cluster",
                     fmt::format("{} has no arithmetic for {}, in which {} of weights are stored: "
                                 "they are widened in every product",
                                 deviceName, format, formatBytes(weights.first)));
            finding.tensor = weights.second;
            finding.expected = join(formats, ", ");
            finding.found = format;
            finding.count = entry.second;
            finding.remedy = "use devices that know the format, or a checkpoint in one of theirs";
            out.push_back(std::move(finding));
        }
    }
}

void noteHeadSizes(const Graph& graph,
                   const topology::Cluster& cluster,
                   const Plan& plan,
                   std::vector<Finding>& out) {
    std::int64_t widest = 0;
    for (const Node& node : graph.nodes) {
        const graph::Attribute* width = node.find("head_dim");
        if (width && std::holds_alternative<std::int64_t>(*width))
            widest = std::max(widest, std::get<std::int64_t>(*width));
    }
    for (const auto& [deviceName, entry] : devicesOf(cluster, plan)) {
        const int most = entry.first->maxHeadDim;
        if (most == 0 || widest <= most)
            continue;
        Finding finding =
            note("plan-head-size", Severity::Warning, "cluster",
                 fmt::format("attention heads of {} values are wider than the {} that "
                             "kernels of {} take",
                             widest, most, deviceName));
        finding.expected = fmt::format("at most {}", most);
        finding.found = std::to_string(widest);
        finding.count = entry.second;
        finding.remedy = "use devices with wider kernels";
        out.push_back(std::move(finding));
    }
}

void checkHosts(const topology::Cluster& cluster, const Plan& plan, std::vector<Finding>& out) {
    for (const HostLedger& host : plan.hosts) {
        if (host.capacity == 0 || host.bytes <= host.capacity)
            continue;
        const std::string& name = cluster.nodes[static_cast<std::size_t>(host.node)].name;
        Finding finding = note(
            "plan-host-memory", Severity::Error, "memory",
            fmt::format("{} ranks on {} need {} of the machine's own memory, which has {}",
                        host.ranks, name, formatBytes(host.bytes), formatBytes(host.capacity)));
        finding.expected = "at most " + formatBytes(host.capacity);
        finding.found = formatBytes(host.bytes);
        finding.remedy = "fewer ranks on this machine, a shorter context, or fewer sequences";
        out.push_back(std::move(finding));
    }
}

std::vector<Finding> notesOn(const Graph& graph,
                             const std::vector<StoredWeight>& stored,
                             const topology::Cluster& cluster,
                             const Plan& plan) {
    std::vector<Finding> out;
    checkHosts(cluster, plan, out);
    noteCopiedHeads(graph, plan, out);
    noteStagesWithoutExperts(graph, plan, out);
    noteFormats(graph, stored, cluster, plan, out);
    noteHeadSizes(graph, cluster, plan, out);
    return out;
}

}  // namespace fl::plan
