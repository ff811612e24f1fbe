// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <gtest/gtest.h>

namespace fl::plan {

TEST(Predict, AddsStagesAndNamesTheBound) {
    Speeds speeds;
    speeds.memoryBytesPerSecond = 10;
    speeds.flops = 100;
    speeds.near = {5, 0.5};
    speeds.far = {1, 2};
    RankCost cost;
    cost.weightBytesPerStep = 20;   // 2 s
    cost.kvBytesPerStep = 10;       // 1 s
    cost.flopsPerStep = 50;         // 0.5 s, hidden behind reading
    cost.traffic = {{"tp", 1, 5}};  // two ranks: once 5 bytes in 1 s, and 0.5 s
    std::vector<GroupReach> reach = {{"tp", 2, false}};
    const Predicted one = predictStep({cost}, reach, speeds);
    EXPECT_DOUBLE_EQ(one.stepSeconds, 4.5);
    EXPECT_EQ(one.bound, "weights");
    EXPECT_DOUBLE_EQ(predictStep({cost, cost}, reach, speeds).stepSeconds, 9);
    reach[0].acrossNodes = true;
    EXPECT_DOUBLE_EQ(predictStep({cost}, reach, speeds).stepSeconds, 3 + 5 + 2);
    EXPECT_EQ(predictStep({cost}, reach, speeds).bound, "communication");
    cost.flopsPerStep = 10000;
    EXPECT_EQ(predictStep({cost}, reach, speeds).bound, "flops");
}

TEST(Predict, KnowsWhichGroupsLeaveTheirNode) {
    const std::vector<int> nodes = {0, 0, 0, 0, 1, 1, 1, 1};
    const auto across = [&](const Mesh& mesh) {
        std::string out;
        for (const GroupReach& reach : reachOf(mesh, nodes))
            out += reach.acrossNodes ? reach.group + " " : "";
        return out;
    };
    EXPECT_EQ(across({1, 2, 4, 1}), "pp ");
    EXPECT_EQ(across({1, 1, 8, 1}), "tp ");
    EXPECT_EQ(across({2, 1, 4, 8}), "edp ");
    EXPECT_EQ(across({1, 2, 2, 1}), "");
    EXPECT_EQ(across({1, 2, 3, 1}), "tp ");
}

TEST(Predict, UsesTheSlowestOfWhatIsKnown) {
    topology::Cluster cluster;
    topology::Node node;
    topology::Device fast;
    fast.memoryBytesPerSecond = 3e12;
    topology::Device slow = fast;
    slow.memoryBytesPerSecond = 1e12;
    node.devices = {fast, slow, {}};
    cluster.nodes = {node};
    topology::Link link;
    link.kind = topology::LinkKind::Network;
    link.nominalBytesPerSecond = 50e9;
    link.measuredBytesPerSecond = 40e9;
    cluster.links = {link};
    const Speeds speeds = speedsOf(cluster);
    EXPECT_EQ(speeds.memoryBytesPerSecond, 1e12);
    EXPECT_EQ(speeds.far.bytesPerSecond, 40e9);
    EXPECT_EQ(speeds.near.bytesPerSecond, 5e9);
    EXPECT_EQ(speedsOf({}).memoryBytesPerSecond, 15e9);
}

}  // namespace fl::plan
