// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <algorithm>
#include <array>
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
        slower(speeds.linkBytesPerSecond,
               orElse(link.measuredBytesPerSecond, link.nominalBytesPerSecond));
        speeds.linkLatencySeconds = std::max(speeds.linkLatencySeconds, link.latencySeconds);
    }
    speeds.memoryBytesPerSecond = orElse(speeds.memoryBytesPerSecond, 15e9);
    speeds.flops = orElse(speeds.flops, 50e9);
    speeds.linkBytesPerSecond = orElse(speeds.linkBytesPerSecond, 5e9);
    speeds.linkLatencySeconds = orElse(speeds.linkLatencySeconds, 20e-6);
    return speeds;
}

Predicted predictStep(const std::vector<RankCost>& stages, const Speeds& speeds) {
    double weights = 0;
    double kv = 0;
    double flops = 0;
    double communication = 0;
    Predicted predicted;
    for (const RankCost& cost : stages) {
        const double readWeights = cost.weightBytesPerStep / speeds.memoryBytesPerSecond;
        const double readKv = cost.kvBytesPerStep / speeds.memoryBytesPerSecond;
        const double compute = cost.flopsPerStep / speeds.flops;
        const double send = cost.collectives * speeds.linkLatencySeconds +
                            cost.sentBytesPerStep / speeds.linkBytesPerSecond;
        predicted.stepSeconds += std::max(readWeights + readKv, compute) + send;
        weights += readWeights;
        kv += readKv;
        flops += compute;
        communication += send;
    }
    const std::array<std::pair<double, const char*>, 4> parts = {
        {{weights, "weights"}, {kv, "kv"}, {flops, "flops"}, {communication, "communication"}}};
    predicted.bound =
        std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        })->second;
    return predicted;
}

}  // namespace fl::plan
