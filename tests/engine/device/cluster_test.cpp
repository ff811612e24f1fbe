// SPDX-License-Identifier: Apache-2.0
#include "engine/device/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/topology/cluster_file.h"
#include "plugins/cpu/plugin.h"
#include "tests/support/temp_dir.h"

namespace fl::device {
namespace {

using testing::HasSubstr;

class DeviceCluster : public testing::Test {
protected:
    PluginRegistry registry_{{plugins::cpu::pluginEntry}};
};

TEST_F(DeviceCluster, ListsTheCardsThatTheSpecAsksFor) {
    const auto cluster = describeCluster(registry_, "cpu:cards=3,memory=2GiB,threads=1");
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(cluster->nodes.size(), 1U);
    EXPECT_FALSE(cluster->nodes[0].name.empty());
    ASSERT_EQ(cluster->nodes[0].devices.size(), 3U);
    const topology::Device& last = cluster->nodes[0].devices[2];
    EXPECT_EQ(last.name, "CPU card 2");
    EXPECT_EQ(last.kind, "cpu");
    EXPECT_EQ(last.index, 2);
    EXPECT_EQ(last.budgetBytes, std::int64_t{2} << 30);
    EXPECT_GT(last.memoryBytes, 0);
}

TEST_F(DeviceCluster, TakesEveryPluginForLocal) {
    const auto cluster = describeCluster(registry_, "local");
    ASSERT_TRUE(cluster);
    ASSERT_EQ(cluster->nodes[0].devices.size(), 1U);
    EXPECT_EQ(cluster->nodes[0].devices[0].kind, "cpu");
}

TEST_F(DeviceCluster, PassesOnWhatThePluginSaysAboutItsOptions) {
    const auto cluster = describeCluster(registry_, "cpu:gpus=2");
    ASSERT_FALSE(cluster);
    EXPECT_EQ(cluster.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(cluster.error().message, HasSubstr("cpu: unknown option \"gpus\"; valid are"));
    EXPECT_THAT(describeCluster(registry_, "abacus").error().message,
                HasSubstr("no plugin \"abacus\"; there is cpu"));
}

TEST_F(DeviceCluster, OpensACardByItsIndex) {
    const auto cluster = describeCluster(registry_, "cpu:cards=3,threads=1");
    ASSERT_TRUE(cluster);
    topology::Device card = cluster->nodes[0].devices[2];
    EXPECT_EQ(card.options, "cards=3,threads=1");
    auto device = openDevice(registry_, card);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->info().name, "CPU card 2");
    card.index = 3;
    EXPECT_THAT(openDevice(registry_, card).error().message,
                HasSubstr("device 3 of \"cpu:cards=3,threads=1\": there are 3"));
    card.index = -1;
    EXPECT_FALSE(openDevice(registry_, card));
}

TEST_F(DeviceCluster, DescribesTheMachineAroundTheCards) {
    const auto cluster = describeCluster(registry_, "cpu");
    ASSERT_TRUE(cluster);
    EXPECT_GE(cluster->nodes[0].cores, 1);
    EXPECT_GE(cluster->nodes[0].sockets, 1);
    EXPECT_GT(cluster->nodes[0].memoryBytes, 0);
}

TEST_F(DeviceCluster, ReadsAClusterFile) {
    const test::TempDir dir;
    topology::Cluster written;
    written.name = "lab";
    written.nodes.resize(2);
    written.nodes[0].name = "a";
    written.nodes[1].name = "b";
    topology::Device card;
    card.name = "CPU card 0";
    card.kind = "cpu";
    card.memoryBytes = 1 << 30;
    for (topology::Node& node : written.nodes)
        node.devices.push_back(card);
    const std::string path = dir / "lab.json";
    ASSERT_TRUE(topology::writeClusterFile(path, written));
    const auto read = describeCluster(registry_, path);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->nodes.size(), 2U);
    EXPECT_EQ(read->nodes[1].name, "b");
    EXPECT_THAT(describeCluster(registry_, "/nowhere/lab.json").error().message,
                HasSubstr("/nowhere/lab.json"));
}

}  // namespace
}  // namespace fl::device
