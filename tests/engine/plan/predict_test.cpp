// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <gtest/gtest.h>

namespace fl::plan {

TEST(Predict, AddsStagesAndNamesTheBound) {
    Speeds speeds{.memoryBytesPerSecond = 10,
                  .flops = 100,
                  .linkBytesPerSecond = 5,
                  .linkLatencySeconds = 0.5};
    RankCost cost;
    cost.weightBytesPerStep = 20;  // 2 s
    cost.kvBytesPerStep = 10;      // 1 s
    cost.flopsPerStep = 50;        // 0.5 s, hidden behind reading
    cost.sentBytesPerStep = 5;     // 1 s
    cost.collectives = 1;          // 0.5 s
    const Predicted one = predictStep({cost}, speeds);
    EXPECT_DOUBLE_EQ(one.stepSeconds, 4.5);
    EXPECT_EQ(one.bound, "weights");
    EXPECT_DOUBLE_EQ(predictStep({cost, cost}, speeds).stepSeconds, 9);
    cost.flopsPerStep = 1000;
    EXPECT_EQ(predictStep({cost}, speeds).bound, "flops");
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
    EXPECT_EQ(speeds.linkBytesPerSecond, 40e9);
    EXPECT_EQ(speedsOf({}).memoryBytesPerSecond, 15e9);
}

}  // namespace fl::plan
