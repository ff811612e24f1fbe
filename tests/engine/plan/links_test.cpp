// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fl::plan {
namespace {

using topology::LinkKind;

topology::Link link(LinkKind kind, int from, int to, double rate) {
    topology::Link out;
    out.kind = kind;
    out.fromNode = from;
    out.toNode = to;
    out.nominalBytesPerSecond = rate;
    out.latencySeconds = 1e-6;
    return out;
}

// Nodes of four cards with a fast link inside and a slow network between.
topology::Cluster grid(int nodes) {
    topology::Cluster cluster;
    for (int n = 0; n < nodes; ++n) {
        topology::Node node;
        node.devices.resize(4);
        cluster.nodes.push_back(node);
        topology::Link inside = link(LinkKind::NvLink, n, n, 100);
        inside.fromDevice = 0;
        inside.toDevice = 1;
        cluster.links.push_back(inside);
        for (int other = 0; other < n; ++other)
            cluster.links.push_back(link(LinkKind::Network, other, n, 10));
    }
    return cluster;
}

std::string slowKinds(const LinkTable& table, const Mesh& mesh, const RankOrder& order) {
    std::string out;
    for (const GroupReach& reach : table.reach(mesh, order))
        out += reach.link.bytesPerSecond < 100 ? reach.group + " " : "";
    return out;
}

TEST(Links, KnowWhichGroupsLeaveTheirNode) {
    const LinkTable table(grid(2));
    EXPECT_EQ(slowKinds(table, {1, 2, 4, 1}, kUsualOrder), "pp ");
    EXPECT_EQ(slowKinds(table, {1, 1, 8, 1}, kUsualOrder), "tp ");
    EXPECT_EQ(slowKinds(table, {2, 1, 4, 8}, kUsualOrder), "edp ");
    EXPECT_EQ(slowKinds(table, {1, 2, 2, 1}, kUsualOrder), "");
    EXPECT_EQ(slowKinds(table, {1, 2, 3, 1}, kUsualOrder), "tp pp ");
    EXPECT_EQ(slowKinds(table, {2, 2, 2, 4}, kUsualOrder), "edp ");
    EXPECT_EQ(slowKinds(table, {2, 2, 2, 4}, {Axis::Tp, Axis::Dp, Axis::Pp}), "pp ");
}

TEST(Links, SayTheSameOnAGridAsRankByRank) {
    const LinkTable table(grid(6));
    for (const Mesh& mesh : std::vector<Mesh>{{1, 1, 24, 1},
                                              {3, 2, 4, 4},
                                              {2, 3, 4, 8},
                                              {4, 3, 2, 8},
                                              {2, 2, 3, 6},
                                              {6, 2, 2, 4},
                                              {1, 4, 1, 1}}) {
        for (const RankOrder& order : distinctOrders(mesh)) {
            const auto one = table.reach(mesh, order);
            const auto other = table.reachByRank(mesh, order);
            for (std::size_t i = 0; i < one.size(); ++i)
                EXPECT_EQ(one[i].link, other[i].link)
                    << text(mesh) << " " << text(order) << " " << one[i].group;
        }
    }
}

TEST(Links, PreferWhatWasMeasuredAndKnowTheKinds) {
    topology::Cluster cluster = grid(2);
    cluster.links[2].measuredBytesPerSecond = 7;
    EXPECT_EQ(LinkTable(cluster).between(0, 1).bytesPerSecond, 7);
    cluster.links[2].measuredBytesPerSecond = cluster.links[2].nominalBytesPerSecond = 0;
    EXPECT_EQ(LinkTable(cluster).between(0, 1).bytesPerSecond, 3e9);
    cluster.links.clear();
    EXPECT_EQ(LinkTable(cluster).within(0).bytesPerSecond, 5e9);
    EXPECT_EQ(LinkTable(cluster).between(1, 0).bytesPerSecond, 3e9);
}

TEST(Links, ANodeWithoutLinksBetweenDevicesIsCrossedThroughItsHost) {
    topology::Cluster cluster = grid(1);
    cluster.links = {link(LinkKind::Pcie, 0, 0, 5)};
    cluster.links[0].toDevice = 0;
    EXPECT_EQ(LinkTable(cluster).within(0).bytesPerSecond, 5);
}

}  // namespace
}  // namespace fl::plan
