// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster.h"

#include <gtest/gtest.h>

namespace fl::topology {
namespace {

TEST(Cluster, CountsDevicesOfAllNodes) {
    Cluster cluster;
    EXPECT_EQ(cluster.deviceCount(), 0);
    cluster.nodes.resize(2);
    cluster.nodes[0].devices.resize(3);
    cluster.nodes[1].devices.resize(1);
    EXPECT_EQ(cluster.deviceCount(), 4);
}

TEST(Cluster, NamesItsLinks) {
    EXPECT_EQ(name(LinkKind::Memory), "memory");
    EXPECT_EQ(name(LinkKind::NvLink), "nvlink");
    EXPECT_EQ(name(LinkKind::Pcie), "pcie");
    EXPECT_EQ(name(LinkKind::Network), "network");
}

}  // namespace
}  // namespace fl::topology
