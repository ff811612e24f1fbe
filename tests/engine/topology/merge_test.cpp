// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/merge.h"

#include <gtest/gtest.h>

namespace fl::topology {
namespace {

Node host(const std::string& name, const std::string& kind, int index) {
    Node node;
    node.name = name;
    node.cores = 8;
    Device device;
    device.kind = kind;
    device.index = index;
    node.devices.push_back(device);
    return node;
}

TEST(Merge, PutsRanksOfOneHostOnOneNode) {
    const std::vector<Node> ranks = {host("b", "cpu", 1), host("a", "cuda", 0), host("b", "cpu", 0),
                                     host("b", "cpu", 1)};
    const MergedCluster out = merged("local", ranks);
    EXPECT_EQ(out.nodeOfRank, (std::vector<int>{0, 1, 0, 0}));
    ASSERT_EQ(out.cluster.nodes.size(), 2U);
    EXPECT_EQ(out.cluster.name, "local");
    EXPECT_EQ(out.cluster.nodes[0].name, "b");
    ASSERT_EQ(out.cluster.nodes[0].devices.size(), 2U);
    EXPECT_EQ(out.cluster.nodes[0].devices[0].index, 0);
    EXPECT_EQ(out.cluster.nodes[0].devices[1].index, 1);
}

TEST(Merge, LinksDevicesToTheirNodeAndNodesToEachOther) {
    const std::vector<Node> ranks = {host("a", "cpu", 0), host("b", "cuda", 0),
                                     host("c", "cpu", 0)};
    const auto links = merged("x", ranks).cluster.links;
    ASSERT_EQ(links.size(), 3U + 3U);
    int memory = 0;
    int pcie = 0;
    int network = 0;
    for (const Link& link : links) {
        memory += link.kind == LinkKind::Memory ? 1 : 0;
        pcie += link.kind == LinkKind::Pcie ? 1 : 0;
        network += link.kind == LinkKind::Network ? 1 : 0;
        EXPECT_EQ(link.fromNode == link.toNode, link.kind != LinkKind::Network);
    }
    EXPECT_EQ(memory, 2);
    EXPECT_EQ(pcie, 1);
    EXPECT_EQ(network, 3);
}

TEST(Merge, BelievesTheRankThatDrivesACard) {
    Node first = host("a", "cuda", 0);
    first.devices[0].pciAddress = "0000:1b:00.0";
    first.devices[0].memoryBytes = 80;
    Node second = host("a", "cuda", 0);  // numbered otherwise on the bus
    second.devices[0].pciAddress = "0000:9b:00.0";
    second.devices[0].memoryBytes = 40;
    Device seen = second.devices[0];
    seen.index = 1;
    seen.memoryBytes = 0;
    first.devices.push_back(seen);
    const auto devices = merged("x", std::vector{first, second}).cluster.nodes[0].devices;
    ASSERT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[0].memoryBytes + devices[1].memoryBytes, 120);
}

TEST(Merge, OfNothingIsEmpty) {
    EXPECT_TRUE(merged("x", {}).cluster.nodes.empty());
}

}  // namespace
}  // namespace fl::topology
