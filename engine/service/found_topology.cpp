// SPDX-License-Identifier: Apache-2.0
#include "engine/service/found_topology.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "engine/base/text.h"
#include "engine/service/reports.h"
#include "engine/topology/local_node.h"
#include "engine/topology/merge.h"

namespace fl::service {

namespace {

// Firmware keeps some memory for itself.
constexpr double kMemoryShare = 0.9;

topology::Device deviceOf(const protocol::DeviceInfo& info) {
    topology::Device out;
    out.name = info.name;
    out.kind = info.kind;
    out.index = info.index;
    out.memoryBytes = info.memoryBytes;
    out.budgetBytes = info.budgetBytes;
    out.pciAddress = info.pci;
    out.numaNode = info.numa;
    return out;
}

topology::Node nodeOf(const protocol::NodeInfo& info) {
    topology::Node out;
    out.name = info.name;
    out.sockets = info.sockets;
    out.cores = info.cores;
    out.numaNodes = info.numaNodes;
    out.memoryBytes = info.memoryBytes;
    for (const protocol::CacheInfo& cache : info.caches)
        out.caches.push_back({cache.level, cache.bytes, cache.count});
    for (const protocol::DeviceInfo& device : info.devices)
        out.devices.push_back(deviceOf(device));
    return out;
}

// Ranks share a host where they share a node of the plan, and nowhere else.
Status checkPlaces(const plan::Plan& plan, const topology::MergedCluster& found) {
    std::map<int, int> firstOnNode;
    std::map<int, int> firstOnHost;
    for (std::size_t rank = 0; rank < found.nodeOfRank.size(); ++rank) {
        const int number = static_cast<int>(rank);
        const int node = plan.ranks[rank].node;
        const int host = found.nodeOfRank[rank];
        const int nodeMate = firstOnNode.try_emplace(node, number).first->second;
        const int hostMate = firstOnHost.try_emplace(host, number).first->second;
        if (nodeMate == hostMate)
            continue;
        const bool apart = nodeMate != number;
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("the launcher put rank {} on {}, the plan has it {} rank {}: look "
                                 "at the launcher's own settings",
                                 number, found.cluster.nodes[static_cast<std::size_t>(host)].name,
                                 apart ? "on one node with" : "on another node than",
                                 apart ? nodeMate : hostMate)};
    }
    return Done{};
}

void compare(std::vector<std::string>& expected,
             std::vector<std::string>& found,
             std::string_view what,
             std::int64_t planned,
             std::int64_t seen) {
    if (planned <= seen)
        return;
    expected.push_back(fmt::format("{} {}", planned, what));
    found.push_back(fmt::format("{} {}", seen, what));
}

// Nothing where the plan does not say, or where there is more than it says.
std::vector<Finding> lessThanPlanned(const protocol::NodeInfo& planned,
                                     const protocol::NodeInfo& seen) {
    std::vector<std::string> expected;
    std::vector<std::string> found;
    compare(expected, found, "sockets", planned.sockets, seen.sockets);
    compare(expected, found, "NUMA nodes", planned.numaNodes, seen.numaNodes);
    compare(expected, found, "cores", planned.cores, seen.cores);
    if (static_cast<double>(seen.memoryBytes) <
        kMemoryShare * static_cast<double>(planned.memoryBytes)) {
        expected.push_back(formatBytes(planned.memoryBytes));
        found.push_back(formatBytes(seen.memoryBytes));
    }
    if (expected.empty())
        return {};
    Finding out;
    out.code = "topology-differs";
    out.severity = Severity::Warning;
    out.stage = "launch";
    out.message = fmt::format("node {} is less than the cluster description says", seen.name);
    out.expected = join(expected, ", ");
    out.found = join(found, ", ");
    out.remedy = "correct the cluster file: the plan's predictions rest on it";
    return {out};
}

// Cards keep their places: links and ranks count on them.
void takeNode(protocol::NodeInfo& node, const protocol::NodeInfo& found) {
    node.sockets = found.sockets;
    node.cores = found.cores;
    node.numaNodes = found.numaNodes;
    node.memoryBytes = found.memoryBytes;
    node.caches = found.caches;
}

}  // namespace

Result<protocol::NodeInfo> nodeOfRank(const device::DeviceInfo& own, int rank) {
    FL_TRY(topology::Node node, topology::localNode());
    protocol::DeviceInfo mine;
    mine.name = own.name;
    mine.kind = own.kind;
    mine.index = own.index;
    mine.memoryBytes = own.memoryBytes;
    mine.budgetBytes = own.budgetBytes;
    mine.pci = own.pciAddress;
    mine.numa = own.numaNode;
    mine.rank = rank;
    for (const topology::Device& card : node.devices) {
        if (!mine.pci.empty() && card.pciAddress == mine.pci && mine.numa < 0)
            mine.numa = card.numaNode;
    }
    protocol::NodeInfo out = nodeReport(node);
    std::erase_if(out.devices,
                  [&mine](const auto& card) { return !mine.pci.empty() && card.pci == mine.pci; });
    out.devices.insert(out.devices.begin(), std::move(mine));
    return out;
}

Result<std::vector<Finding>> takeFound(const Placement& placement,
                                       const std::vector<protocol::NodeInfo>& perRank,
                                       protocol::Topology& planned) {
    std::vector<topology::Node> nodes;
    for (const protocol::NodeInfo& info : perRank)
        nodes.push_back(nodeOf(info));
    const topology::MergedCluster all = topology::merged("found", nodes);
    FL_DO(checkPlaces(placement.plan, all));
    std::vector<Finding> findings;
    std::set<int> taken;
    for (const plan::RankPlan& rank : placement.plan.ranks) {
        const auto host =
            static_cast<std::size_t>(all.nodeOfRank[static_cast<std::size_t>(rank.rank)]);
        protocol::NodeInfo& node = planned.nodes[static_cast<std::size_t>(rank.node)];
        if (taken.insert(rank.node).second) {
            const protocol::NodeInfo found = nodeReport(all.cluster.nodes[host]);
            const auto less = lessThanPlanned(node, found);
            findings.insert(findings.end(), less.begin(), less.end());
            takeNode(node, found);
        }
        node.devices[static_cast<std::size_t>(rank.device)] =
            perRank[static_cast<std::size_t>(rank.rank)].devices.front();
    }
    return findings;
}

}  // namespace fl::service
