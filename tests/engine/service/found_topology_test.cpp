// SPDX-License-Identifier: Apache-2.0
#include "engine/service/found_topology.h"

#include <gtest/gtest.h>

#include "engine/service/host_name.h"
#include "engine/service/reports.h"

namespace fl::service {
namespace {

// Two ranks on each of two nodes.
Placement placement() {
    Placement out;
    out.cluster.nodes.resize(2);
    for (int rank = 0; rank < 4; ++rank) {
        out.plan.ranks.emplace_back();
        out.plan.ranks.back().rank = rank;
        out.plan.ranks.back().node = rank / 2;
        out.plan.ranks.back().device = rank % 2;
    }
    return out;
}

protocol::NodeInfo seenBy(int rank, const std::string& host) {
    protocol::NodeInfo out;
    out.name = host;
    out.sockets = 1;
    out.cores = 8;
    out.numaNodes = 1;
    out.memoryBytes = std::int64_t{64} << 30;
    out.caches.push_back({3, 32 << 20, 1});
    protocol::DeviceInfo device;
    device.kind = "cpu";
    device.index = rank % 2;
    device.memoryBytes = 1 << 30;
    device.rank = rank;
    out.devices.push_back(device);
    return out;
}

Result<std::vector<Finding>> take(const Placement& planned,
                                  const std::vector<std::string>& hosts,
                                  protocol::Topology& topology) {
    std::vector<protocol::NodeInfo> perRank;
    for (const std::string& host : hosts)
        perRank.push_back(seenBy(static_cast<int>(perRank.size()), host));
    for (const topology::Node& node : planned.cluster.nodes) {
        topology.nodes.push_back(nodeReport(node));
        topology.nodes.back().devices.resize(2);
    }
    return takeFound(planned, perRank, topology);
}

TEST(FoundTopology, PutsWhatRanksFoundInThePlaceOfThePlan) {
    protocol::Topology topology;
    const auto findings = take(placement(), {"a", "a", "b", "b"}, topology);
    ASSERT_TRUE(findings) << findings.error().message;
    EXPECT_TRUE(findings->empty());
    ASSERT_EQ(topology.nodes.size(), 2U);
    EXPECT_EQ(topology.nodes[1].cores, 8);
    EXPECT_EQ(topology.nodes[1].caches.size(), 1U);
    ASSERT_EQ(topology.nodes[1].devices.size(), 2U);
    EXPECT_EQ(topology.nodes[1].devices[0].rank, 2);
    EXPECT_EQ(topology.nodes[1].devices[1].rank, 3);
    EXPECT_EQ(topology.nodes[1].devices[1].memoryBytes, 1 << 30);
}

TEST(FoundTopology, RefusesRanksInOtherPlacesThanPlanned) {
    protocol::Topology unused;
    const auto spread = take(placement(), {"a", "b", "b", "b"}, unused);
    ASSERT_FALSE(spread);
    EXPECT_NE(spread.error().message.find("rank 1 on b, the plan has it on one node with rank 0"),
              std::string::npos)
        << spread.error().message;
    const auto crowded = take(placement(), {"a", "a", "a", "a"}, unused);
    ASSERT_FALSE(crowded);
    EXPECT_NE(crowded.error().message.find("rank 2 on a, the plan has it on another node than"),
              std::string::npos)
        << crowded.error().message;
}

TEST(FoundTopology, WarnsOfNodesThatAreLessThanDescribed) {
    Placement planned = placement();
    planned.cluster.nodes[1].sockets = 2;
    planned.cluster.nodes[1].cores = 8;
    planned.cluster.nodes[1].memoryBytes = std::int64_t{128} << 30;
    protocol::Topology topology;
    const auto findings = take(planned, {"a", "a", "b", "b"}, topology);
    ASSERT_TRUE(findings) << findings.error().message;
    ASSERT_EQ(findings->size(), 1U);
    const Finding& finding = findings->front();
    EXPECT_EQ(finding.code, "topology-differs");
    EXPECT_EQ(finding.severity, Severity::Warning);
    EXPECT_EQ(finding.expected, "2 sockets, 128 GiB");
    EXPECT_EQ(finding.found, "1 sockets, 64.0 GiB");
    EXPECT_EQ(topology.nodes[1].sockets, 1);
}

TEST(FoundTopology, DescribesTheMachineAroundARank) {
    device::DeviceInfo own;
    own.kind = "cpu";
    own.name = "CPU card 1";
    own.index = 1;
    const auto node = nodeOfRank(own, 5);
    ASSERT_TRUE(node) << node.error().message;
    EXPECT_EQ(node->name, ownHost());
    EXPECT_GT(node->cores, 0);
    ASSERT_FALSE(node->devices.empty());
    EXPECT_EQ(node->devices[0].rank, 5);
    EXPECT_EQ(node->devices[0].name, "CPU card 1");
}

}  // namespace
}  // namespace fl::service
