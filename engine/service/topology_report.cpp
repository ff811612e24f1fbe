// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "engine/service/reports.h"

namespace fl::service {

namespace {

// A group that spends its time on a link of less than half the rate of the fastest is worth a mark.
constexpr double kSlowShare = 0.5;

int rankOn(const plan::Plan& plan, int node, int device) {
    for (const plan::RankPlan& rank : plan.ranks) {
        if (rank.node == node && rank.device == device)
            return rank.rank;
    }
    return -1;
}

protocol::LinkInfo linkInfo(const topology::Link& link) {
    protocol::LinkInfo row;
    row.kind = topology::name(link.kind);
    row.fromNode = link.fromNode;
    row.fromDevice = link.fromDevice;
    row.toNode = link.toNode;
    row.toDevice = link.toDevice;
    row.nominal = link.nominalBytesPerSecond;
    row.measured = link.measuredBytesPerSecond;
    row.latency = link.latencySeconds;
    return row;
}

double rateOf(const protocol::LinkInfo& link) {
    return link.measured > 0 ? link.measured : link.nominal;
}

// Which links of the topology lie between two ranks.
class Wires {
public:
    explicit Wires(const protocol::Topology& topology) {
        for (std::size_t i = 0; i < topology.links.size(); ++i) {
            const protocol::LinkInfo& link = topology.links[i];
            const End from{link.fromNode, link.fromDevice};
            const End to{link.toNode, link.toDevice};
            links_.try_emplace({std::min(from, to), std::max(from, to)}, static_cast<int>(i));
        }
    }

    void add(const plan::RankPlan& one, const plan::RankPlan& other, std::vector<int>& out) const {
        const End a{one.node, one.device};
        const End b{other.node, other.device};
        if (take(a, b, out))
            return;
        // Through the nodes, over the network where they differ.
        take({one.node, -1}, a, out);
        take({other.node, -1}, b, out);
        if (one.node != other.node)
            take({one.node, -1}, {other.node, -1}, out);
    }

private:
    using End = std::pair<int, int>;

    bool take(const End& a, const End& b, std::vector<int>& out) const {
        const auto found = links_.find({std::min(a, b), std::max(a, b)});
        if (found == links_.end())
            return false;
        if (std::find(out.begin(), out.end(), found->second) == out.end())
            out.push_back(found->second);
        return true;
    }

    std::map<std::pair<End, End>, int> links_;
};

void addGroups(const Placement& placement, protocol::Topology& out) {
    const Wires wires(out);
    double best = 0;
    for (const protocol::LinkInfo& link : out.links)
        best = std::max(best, rateOf(link));
    const auto& ranks = placement.plan.ranks;
    for (const plan::Group& group : plan::groups(placement.plan.mesh)) {
        protocol::GroupInfo row;
        row.kind = group.kind;
        row.name = group.name;
        row.ranks = group.ranks;
        for (std::size_t i = 0; i + 1 < group.ranks.size() && !ranks.empty(); ++i)
            wires.add(ranks[static_cast<std::size_t>(group.ranks[i])],
                      ranks[static_cast<std::size_t>(group.ranks[i + 1])], row.links);
        for (const int link : row.links) {
            const double rate = rateOf(out.links[static_cast<std::size_t>(link)]);
            if (row.slowestLink < 0 ||
                rate < rateOf(out.links[static_cast<std::size_t>(row.slowestLink)]))
                row.slowestLink = link;
        }
        for (const plan::GroupSeconds& cost : placement.plan.groupSeconds) {
            if (cost.kind == group.kind)
                row.stepSeconds = cost.seconds;
        }
        row.crossesSlow =
            row.slowestLink >= 0 && row.stepSeconds > 0 &&
            rateOf(out.links[static_cast<std::size_t>(row.slowestLink)]) < kSlowShare * best;
        out.groups.push_back(std::move(row));
    }
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

protocol::Topology topologyReport(const Inspection& inspection, const Placement& placement) {
    protocol::Topology out;
    out.name = placement.cluster.name;
    for (const topology::Node& node : placement.cluster.nodes) {
        protocol::NodeInfo row = nodeReport(node);
        for (std::size_t i = 0; i < row.devices.size(); ++i)
            row.devices[i].rank =
                rankOn(placement.plan, static_cast<int>(out.nodes.size()), static_cast<int>(i));
        out.nodes.push_back(std::move(row));
    }
    for (const topology::Link& link : placement.cluster.links)
        out.links.push_back(linkInfo(link));
    addGroups(placement, out);
    const plan::Plan& plan = placement.plan;
    out.order = plan::text(plan.options.order);
    if (plan.ranks.empty())
        return out;
    for (const plan::Candidate& other :
         plan::rankOrders(inspection.model.graph, inspection.model.stored, placement.cluster, plan))
        out.orders.push_back({plan::text(other.order), other.predicted.stepSeconds,
                              other.predicted.communicationSeconds});
    if (!out.orders.empty())
        out.gain = std::max(0.0, plan.predicted.stepSeconds - out.orders.front().step);
    return out;
}

}  // namespace fl::service
