// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/merge.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fl::topology {

namespace {

void addDevices(Node& node, const std::vector<Device>& devices) {
    for (const Device& device : devices) {
        const bool known =
            std::any_of(node.devices.begin(), node.devices.end(), [&device](const Device& other) {
                return other.kind == device.kind && other.index == device.index;
            });
        if (!known)
            node.devices.push_back(device);
    }
}

}  // namespace

MergedCluster merged(std::string clusterName, std::span<const Node> nodePerRank) {
    MergedCluster out;
    out.cluster.name = std::move(clusterName);
    std::map<std::string, int> places;
    for (const Node& node : nodePerRank) {
        auto& nodes = out.cluster.nodes;
        const auto [place, isNew] = places.try_emplace(node.name, static_cast<int>(nodes.size()));
        if (isNew)
            nodes.push_back(node);
        else
            addDevices(nodes[static_cast<std::size_t>(place->second)], node.devices);
        out.nodeOfRank.push_back(place->second);
    }
    for (Node& node : out.cluster.nodes) {
        std::stable_sort(node.devices.begin(), node.devices.end(),
                         [](const Device& a, const Device& b) {
                             return std::pair(a.kind, a.index) < std::pair(b.kind, b.index);
                         });
    }
    addUnmeasuredLinks(out.cluster);
    return out;
}

void addUnmeasuredLinks(Cluster& cluster) {
    const int nodes = static_cast<int>(cluster.nodes.size());
    for (int i = 0; i < nodes; ++i) {
        const auto& devices = cluster.nodes[static_cast<std::size_t>(i)].devices;
        for (int d = 0; d < static_cast<int>(devices.size()); ++d) {
            Link link;
            // A CPU card computes in the node's own memory.
            link.kind = devices[static_cast<std::size_t>(d)].kind == "cpu" ? LinkKind::Memory
                                                                           : LinkKind::Pcie;
            link.fromNode = link.toNode = i;
            link.toDevice = d;
            cluster.links.push_back(link);
        }
        for (int j = i + 1; j < nodes; ++j) {
            Link link;
            link.kind = LinkKind::Network;
            link.fromNode = i;
            link.toNode = j;
            cluster.links.push_back(link);
        }
    }
}

}  // namespace fl::topology
