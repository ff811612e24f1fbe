// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/dump.h"

#include <fmt/core.h>

#include "engine/base/text.h"

namespace fl::topology {

namespace {

std::string rate(double bytesPerSecond) {
    return bytesPerSecond > 0 ? formatBytes(static_cast<std::int64_t>(bytesPerSecond)) + "/s"
                              : "not known";
}

std::string deviceText(const Device& device) {
    std::string out =
        fmt::format("{} ({}), {}", device.name, device.kind, formatBytes(device.memoryBytes));
    if (device.budgetBytes != device.memoryBytes)
        out += fmt::format(", budget {}", formatBytes(device.budgetBytes));
    if (device.memoryBytesPerSecond > 0)
        out += ", memory " + rate(device.memoryBytesPerSecond);
    if (device.flops > 0)
        out += fmt::format(", {:.4g} Tflop/s", device.flops / 1e12);
    return out;
}

std::string nodeText(const Node& node) {
    std::string out =
        fmt::format("node {}: {} sockets, {} cores, {} NUMA nodes, {}\n", node.name, node.sockets,
                    node.cores, node.numaNodes, formatBytes(node.memoryBytes));
    for (const Cache& cache : node.caches)
        out += fmt::format("  {} × L{} {}\n", cache.count, cache.level, formatBytes(cache.bytes));
    for (std::size_t i = 0; i < node.devices.size();) {
        std::size_t end = i + 1;
        const std::string text = deviceText(node.devices[i]);
        while (end < node.devices.size() && deviceText(node.devices[end]) == text)
            ++end;
        out += fmt::format("  {} × {}\n", end - i, text);
        i = end;
    }
    return out;
}

std::string linkText(const Link& link) {
    const std::string_view scope = link.fromNode != link.toNode               ? "between nodes"
                                   : link.fromDevice < 0 || link.toDevice < 0 ? "device to node"
                                                                              : "between devices";
    std::string out =
        fmt::format("{} {}, {}", name(link.kind), scope, rate(link.nominalBytesPerSecond));
    if (link.measuredBytesPerSecond > 0)
        out += ", measured " + rate(link.measuredBytesPerSecond);
    if (link.latencySeconds > 0)
        out += fmt::format(", {:.3g} µs", link.latencySeconds * 1e6);
    return out;
}

}  // namespace

std::string dump(const Cluster& cluster) {
    std::string out = fmt::format("cluster {}: {} nodes, {} devices\n", cluster.name,
                                  cluster.nodes.size(), cluster.deviceCount());
    for (const Node& node : cluster.nodes)
        out += nodeText(node);
    std::vector<std::pair<std::string, int>> groups;
    for (const Link& link : cluster.links) {
        const std::string text = linkText(link);
        if (groups.empty() || groups.back().first != text)
            groups.emplace_back(text, 0);
        ++groups.back().second;
    }
    for (const auto& [text, count] : groups)
        out += fmt::format("{} × {}\n", count, text);
    return out;
}

}  // namespace fl::topology
