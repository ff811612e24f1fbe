// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/merge.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fl::topology {

namespace {

bool isSame(const Device& a, const Device& b) {
    if (!a.pciAddress.empty() && !b.pciAddress.empty())
        return a.pciAddress == b.pciAddress;
    return a.kind == b.kind && a.index == b.index;
}

// A card's plugin, which the rank that drives it has asked, knows its memory; the bus does not.
void addDevices(Node& node, const std::vector<Device>& devices) {
    for (const Device& device : devices) {
        const auto known =
            std::find_if(node.devices.begin(), node.devices.end(),
                         [&device](const Device& other) { return isSame(device, other); });
        if (known == node.devices.end())
            node.devices.push_back(device);
        else if (known->memoryBytes == 0)
            *known = device;
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
