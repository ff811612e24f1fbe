// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/text.h"

namespace fl::plan {

namespace {

constexpr double kCoreBytesPerSecond = 15e9;
constexpr double kCoreFlops = 100e9;
constexpr int kCoresThatFillASocket = 8;
constexpr double kCardBytesPerSecond = 1e12;
constexpr double kCardFlops = 100e12;
constexpr double kOperatorSeconds = 2e-6;
constexpr std::int64_t kMostThreads = 1024;

double orElse(double known, double fallback) {
    return known > 0 ? known : fallback;
}

double shareOf(const GroupReach& group) {
    if (group.group == "pp")
        return 1;
    return group.group == "edp" ? group.ranks - 1 : 2.0 * (group.ranks - 1) / group.ranks;
}

double seconds(const Traffic& traffic, const std::vector<GroupReach>& reach, double bytes) {
    const auto found = std::find_if(reach.begin(), reach.end(), [&](const GroupReach& each) {
        return each.group == traffic.group;
    });
    if (found == reach.end() || found->ranks < 2)
        return 0;
    const double hops = std::ceil(std::log2(found->ranks));
    return traffic.collectives * hops * found->link.latencySeconds +
           bytes * shareOf(*found) / found->link.bytesPerSecond;
}

// As the options of a CPU card say ("cards=2,threads=4"); 0: all that there are.
int threadsOf(const topology::Device& device) {
    constexpr std::string_view kKey = "threads=";
    for (const std::string& part : split(device.options, ',')) {
        if (!part.starts_with(kKey))
            continue;
        const auto count = parseInteger(part.substr(kKey.size()));
        return count ? static_cast<int>(std::clamp<std::int64_t>(*count, 0, kMostThreads)) : 0;
    }
    return 0;
}

const char* largestTerm(const Predicted& predicted) {
    const std::array<std::pair<double, const char*>, 5> terms = {
        {{predicted.weightSeconds, "weights"},
         {predicted.kvSeconds, "kv"},
         {predicted.flopSeconds, "flops"},
         {predicted.communicationSeconds, "communication"},
         {predicted.overheadSeconds, "overhead"}}};
    return std::max_element(terms.begin(), terms.end(),
                            [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
}

}  // namespace

DeviceSpeed speedOf(const topology::Node& node, const topology::Device& device, int ranks) {
    if (device.kind != "cpu")
        return {orElse(device.memoryBytesPerSecond, kCardBytesPerSecond),
                orElse(device.flops, kCardFlops)};
    int cores = std::max(1, node.cores);
    if (const int threads = threadsOf(device); threads > 0)
        cores = std::min(cores, threads * ranks);
    const int reading = std::min(cores, kCoresThatFillASocket * std::max(1, node.sockets));
    return {orElse(device.memoryBytesPerSecond, kCoreBytesPerSecond * reading / ranks),
            orElse(device.flops, kCoreFlops * cores / ranks)};
}

StageLoad loadOf(const RankCost& cost) {
    StageLoad load;
    load.weightBytes = cost.weightBytesPerStep;
    load.kvBytes = cost.kvBytesPerStep;
    load.flops = cost.flopsPerStep;
    load.chunkFlops = cost.flopsPerChunk;
    load.heldBytes =
        static_cast<double>(cost.ledger[Category::Weights] + cost.ledger[Category::Scales]);
    load.operators = cost.operators;
    load.traffic = cost.traffic;
    return load;
}

double communicationSeconds(const Traffic& traffic, const std::vector<GroupReach>& reach) {
    return seconds(traffic, reach, traffic.bytes);
}

Predicted predictStep(const std::vector<StageLoad>& stages,
                      const std::vector<DeviceSpeed>& speeds,
                      const std::vector<GroupReach>& reach,
                      const PlanOptions& options,
                      int replicas) {
    const double chunkRows =
        static_cast<double>(options.maxBatchTokens) / std::max(1, options.maxSequences);
    Predicted out;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const StageLoad& load = stages[i];
        const double weights = load.weightBytes / speeds[i].memoryBytesPerSecond;
        const double kv = load.kvBytes / speeds[i].memoryBytesPerSecond;
        const double flops = load.flops / speeds[i].flops;
        const double overhead = load.operators * kOperatorSeconds;
        double send = 0;
        double sendChunk = 0;
        for (const Traffic& traffic : load.traffic) {
            send += communicationSeconds(traffic, reach);
            sendChunk += seconds(traffic, reach, traffic.bytes * chunkRows);
        }
        out.stepSeconds += std::max(weights + kv, flops) + overhead + send;
        out.prefillSeconds += std::max(load.heldBytes / speeds[i].memoryBytesPerSecond,
                                       load.chunkFlops / speeds[i].flops) +
                              overhead + sendChunk;
        out.weightSeconds += weights;
        out.kvSeconds += kv;
        out.flopSeconds += flops;
        out.overheadSeconds += overhead;
        out.communicationSeconds += send;
    }
    if (!stages.empty())
        out.bubbleSeconds = out.stepSeconds - out.stepSeconds / static_cast<double>(stages.size());
    out.bound = largestTerm(out);
    if (out.stepSeconds > 0)
        out.tokensPerSecond = options.maxSequences * replicas / out.stepSeconds;
    return out;
}

}  // namespace fl::plan
