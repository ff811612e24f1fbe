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

}  // namespace

protocol::NodeInfo nodeReport(const topology::Node& node) {
    protocol::NodeInfo out;
    out.name = node.name;
    out.sockets = node.sockets;
    out.cores = node.cores;
    out.numaNodes = node.numaNodes;
    out.memoryBytes = node.memoryBytes;
    for (const topology::Cache& cache : node.caches)
        out.caches.push_back({cache.level, cache.bytes, cache.count});
    for (const topology::Device& device : node.devices) {
        protocol::DeviceInfo& row = out.devices.emplace_back();
        row.name = device.name;
        row.kind = device.kind;
        row.index = device.index;
        row.memoryBytes = device.memoryBytes;
        row.budgetBytes = device.budgetBytes;
        row.pci = device.pciAddress;
        row.numa = device.numaNode;
    }
    return out;
}

protocol::Topology topologyReport(const Placement& placement) {
    protocol::Topology out;
    out.name = placement.cluster.name;
    for (const topology::Node& node : placement.cluster.nodes) {
        protocol::NodeInfo row = nodeReport(node);
        for (std::size_t i = 0; i < row.devices.size(); ++i)
            row.devices[i].rank =
                rankOn(placement.plan, static_cast<int>(out.nodes.size()), static_cast<int>(i));
        out.nodes.push_back(std::move(row));
    }
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
