// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fl::plan {

static void slower(double& speed, double other) {
    if (other > 0 && (speed == 0 || other < speed))
        speed = other;
}

static double orElse(double known, double fallback) {
    return known > 0 ? known : fallback;
}

Speeds speedsOf(const topology::Cluster& cluster) {
    Speeds speeds;
    for (const topology::Node& node : cluster.nodes) {
        for (const topology::Device& device : node.devices) {
            slower(speeds.memoryBytesPerSecond, device.memoryBytesPerSecond);
            slower(speeds.flops, device.flops);
        }
    }
    for (const topology::Link& link : cluster.links) {
        if (link.kind == topology::LinkKind::Memory)
            continue;
        LinkSpeed& speed = link.kind == topology::LinkKind::Network ? speeds.far : speeds.near;
        slower(speed.bytesPerSecond,
               orElse(link.measuredBytesPerSecond, link.nominalBytesPerSecond));
        speed.latencySeconds = std::max(speed.latencySeconds, link.latencySeconds);
    }
    speeds.memoryBytesPerSecond = orElse(speeds.memoryBytesPerSecond, 15e9);
    speeds.flops = orElse(speeds.flops, 50e9);
    speeds.near = {orElse(speeds.near.bytesPerSecond, 5e9),
                   orElse(speeds.near.latencySeconds, 20e-6)};
    speeds.far = {orElse(speeds.far.bytesPerSecond, 3e9), orElse(speeds.far.latencySeconds, 50e-6)};
    return speeds;
}

std::vector<GroupReach> reachOf(const Mesh& mesh, const std::vector<int>& nodes) {
    const auto nodeOf = [&](const Coordinates& where) {
        return nodes[static_cast<std::size_t>(rankAt(mesh, where))];
    };
    const int replicas = expertReplicas(mesh);
    GroupReach tp{"tp", mesh.tp, false};
    for (int pp = 0; pp < mesh.pp; ++pp)
        tp.acrossNodes |= nodeOf({0, pp, 0}) != nodeOf({0, pp, mesh.tp - 1});
    // A hand-over has two ends, however many stages there are.
    const GroupReach pp{"pp", 2, nodeOf({0, 0, 0}) != nodeOf({0, mesh.pp - 1, 0})};
    const GroupReach edp{"edp", replicas, nodeOf({0, 0, 0}) != nodeOf({replicas - 1, 0, 0})};
    return {tp, pp, edp};
}

// A ring moves each byte nearly twice; its steps are counted as those of a tree.
static double sendSeconds(const Traffic& traffic,
                          const std::vector<GroupReach>& reach,
                          const Speeds& speeds) {
    const auto found = std::find_if(reach.begin(), reach.end(), [&](const GroupReach& each) {
        return each.group == traffic.group;
    });
    const GroupReach group = found == reach.end() ? GroupReach{} : *found;
    const LinkSpeed& link = group.acrossNodes ? speeds.far : speeds.near;
    const double hops = std::ceil(std::log2(std::max(2, group.ranks)));
    const double share = 2.0 * (group.ranks - 1) / group.ranks;
    return traffic.collectives * hops * link.latencySeconds +
           traffic.bytes * share / link.bytesPerSecond;
}

Predicted predictStep(const std::vector<RankCost>& stages,
                      const std::vector<GroupReach>& reach,
                      const Speeds& speeds) {
    double weights = 0;
    double kv = 0;
    double flops = 0;
    double communication = 0;
    Predicted predicted;
    for (const RankCost& cost : stages) {
        const double readWeights = cost.weightBytesPerStep / speeds.memoryBytesPerSecond;
        const double readKv = cost.kvBytesPerStep / speeds.memoryBytesPerSecond;
        const double compute = cost.flopsPerStep / speeds.flops;
        double send = 0;
        for (const Traffic& traffic : cost.traffic)
            send += sendSeconds(traffic, reach, speeds);
        const double stage = std::max(readWeights + readKv, compute) + send;
        predicted.stepSeconds += stage;
        predicted.prefillSeconds += std::max(readWeights, cost.flopsPerChunk / speeds.flops) + send;
        weights += readWeights;
        kv += readKv;
        flops += compute;
        communication += send;
    }
    predicted.weightSeconds = weights;
    predicted.kvSeconds = kv;
    predicted.flopSeconds = flops;
    predicted.communicationSeconds = communication;
    if (!stages.empty())
        predicted.bubbleSeconds =
            predicted.stepSeconds - predicted.stepSeconds / static_cast<double>(stages.size());
    const std::array<std::pair<double, const char*>, 4> parts = {
        {{weights, "weights"}, {kv, "kv"}, {flops, "flops"}, {communication, "communication"}}};
    predicted.bound =
        std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        })->second;
    return predicted;
}

}  // namespace fl::plan
