// SPDX-License-Identifier: Apache-2.0
#include "engine/service/reports.h"

namespace fl::service {

namespace {

int rankOn(const plan::Plan& plan, int node, int device) {
    for (const plan::RankPlan& rank : plan.ranks) {
        if (rank.node == node && rank.device == device)
            return rank.rank;
    }
    return -1;
}

protocol::NodeInfo nodeInfo(const Placement& placement, int index) {
    const topology::Node& node = placement.cluster.nodes[static_cast<std::size_t>(index)];
    protocol::NodeInfo out;
    out.name = node.name;
    out.sockets = node.sockets;
    out.cores = node.cores;
    out.numaNodes = node.numaNodes;
    out.memoryBytes = node.memoryBytes;
    for (const topology::Cache& cache : node.caches)
        out.caches.push_back({cache.level, cache.bytes, cache.count});
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        const topology::Device& device = node.devices[i];
        protocol::DeviceInfo row;
        row.name = device.name;
        row.kind = device.kind;
        row.index = device.index;
        row.memoryBytes = device.memoryBytes;
        row.budgetBytes = device.budgetBytes;
        row.pci = device.pciAddress;
        row.numa = device.numaNode;
        row.rank = rankOn(placement.plan, index, static_cast<int>(i));
        out.devices.push_back(std::move(row));
    }
    return out;
}

}  // namespace

protocol::Topology topologyReport(const Placement& placement) {
    protocol::Topology out;
    out.name = placement.cluster.name;
    for (std::size_t i = 0; i < placement.cluster.nodes.size(); ++i)
        out.nodes.push_back(nodeInfo(placement, static_cast<int>(i)));
    for (const topology::Link& link : placement.cluster.links) {
        protocol::LinkInfo row;
        row.kind = topology::name(link.kind);
        row.fromNode = link.fromNode;
        row.fromDevice = link.fromDevice;
        row.toNode = link.toNode;
        row.toDevice = link.toDevice;
        row.nominal = link.nominalBytesPerSecond;
        row.measured = link.measuredBytesPerSecond;
        out.links.push_back(std::move(row));
    }
    for (const plan::Group& group : plan::groups(placement.plan.mesh)) {
        protocol::GroupInfo row;
        row.kind = group.kind;
        row.name = group.name;
        row.ranks = group.ranks;
        out.groups.push_back(std::move(row));
    }
    return out;
}

}  // namespace fl::service
