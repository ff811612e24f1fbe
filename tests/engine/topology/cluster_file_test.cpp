// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster_file.h"

#include <gtest/gtest.h>

#include "tests/support/data.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::topology {
namespace {

Result<Cluster> parsed(std::string_view text) {
    return clusterFromJson(*Json::parse(text));
}

std::string problem(std::string_view text) {
    const auto cluster = parsed(text);
    return cluster ? "" : cluster.error().message;
}

TEST(ClusterFile, RepeatsNodesAndDevices) {
    const auto cluster = readClusterFile(test::sourceResourcesDir() + "/clusters/lab-4x8.json");
    ASSERT_TRUE(cluster) << cluster.error().message;
    ASSERT_EQ(cluster->nodes.size(), 4U);
    EXPECT_EQ(cluster->nodes[3].name, "gpu-3");
    EXPECT_EQ(cluster->deviceCount(), 32);
    const Device& last = cluster->nodes[0].devices[7];
    EXPECT_EQ(last.index, 7);
    EXPECT_EQ(last.numaNode, 1);
    EXPECT_EQ(last.memoryBytes, std::int64_t{80} << 30);
    EXPECT_EQ(last.budgetBytes, std::int64_t{76} << 30);
    // Each card and its host, all pairs of cards of a node, all pairs of nodes.
    EXPECT_EQ(cluster->links.size(), 4U * 8 + 4U * 28 + 6);
    EXPECT_EQ(cluster->links.back().kind, LinkKind::Network);
    EXPECT_EQ(cluster->links.back().toNode, 3);
}

TEST(ClusterFile, ReadsTheLaptop) {
    const auto cluster = readClusterFile(test::sourceResourcesDir() + "/clusters/cpu-laptop.json");
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster->deviceCount(), 2);
    EXPECT_EQ(cluster->nodes[0].name, "laptop");
    EXPECT_EQ(cluster->nodes[0].devices[1].kind, "cpu");
}

TEST(ClusterFile, WritesWhatItReads) {
    const test::TempDir folder;
    for (const char* name : {"lab-4x8", "cpu-laptop"}) {
        const auto cluster =
            readClusterFile(test::sourceResourcesDir() + "/clusters/" + name + ".json");
        ASSERT_TRUE(cluster);
        const std::string path = folder / "written.json";
        ASSERT_TRUE(writeClusterFile(path, *cluster));
        const auto again = readClusterFile(path);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(*again, *cluster);
    }
}

TEST(ClusterFile, KeepsHowACardIsOpenedAndWhereTheControlProcessIsReached) {
    const auto cluster = parsed(R"({"control_address": "10.0.0.1:4400", "nodes": [{"name": "a",
        "devices": [{"kind": "cpu", "memory": 1, "count": 2, "options": "cards=2"}]}]})");
    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster->controlAddress, "10.0.0.1:4400");
    EXPECT_EQ(cluster->nodes[0].devices[1].options, "cards=2");
    const auto again = clusterFromJson(toJson(*cluster));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *cluster);
}

TEST(ClusterFile, NamesTheNearestKey) {
    EXPECT_EQ(problem(R"({"nodes":[{"name":"a","memry":"1GiB"}]})"),
              "nodes[0]: unknown key 'memry' (nearest: memory)");
    EXPECT_EQ(problem(R"({"nods":[]})"), "unknown key 'nods' (nearest: nodes)");
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "c.json", "{\"nods\":[]}");
    EXPECT_EQ(readClusterFile(path).error().message,
              path + ": unknown key 'nods' (nearest: nodes)");
}

TEST(ClusterFile, NamesThePlaceOfABadValue) {
    const auto device = [](std::string_view members) {
        return problem(R"({"nodes":[{"name":"a","devices":[{)" + std::string(members) + "}]}]}");
    };
    EXPECT_EQ(device(R"("kind":"cpu","memory":"80 gigs")"),
              "nodes[0].devices[0]: memory: '80 gigs' is not a size (a number and one of B, KiB, "
              "MiB, GiB, TiB)");
    EXPECT_EQ(device(R"("kind":"cpu","memory":-1)"),
              "nodes[0].devices[0]: memory must be bytes, or a text like \"80GiB\"");
    EXPECT_EQ(device(R"("kind":"cpu")"), "nodes[0].devices[0]: has no memory");
    EXPECT_EQ(device(R"("memory":1)"),
              "nodes[0].devices[0]: has no kind (the plugin: \"cpu\", \"cuda\")");
    EXPECT_EQ(device(R"("kind":"cpu","memory":1,"budget":2)"),
              "nodes[0].devices[0]: has a budget larger than its memory");
    EXPECT_EQ(device(R"("kind":"cpu","memory":1,"count":0)"),
              "nodes[0].devices[0]: count must be a whole number from 1 to 65536");
    EXPECT_EQ(device(R"("kind":"cpu","memory":1,"flops":-1)"),
              "nodes[0].devices[0]: flops must be a number, zero or more");
    EXPECT_EQ(problem(R"({"nodes":[7]})"), "nodes[0]: is a number, not an object");
    EXPECT_EQ(problem("[]"), "is an array, not an object");
    EXPECT_EQ(problem("{}"), "a cluster needs nodes");
    EXPECT_EQ(problem(R"({"nodes":[{"name":"a"}]})"), "a cluster needs devices");
    EXPECT_EQ(problem(R"({"nodes":[{"name":"a","count":60000,"devices":
                          [{"kind":"cpu","memory":1,"count":60000}]}]})"),
              "nodes[0]: makes more than 65,536 devices");
}

TEST(ClusterFile, ChecksTheEndsOfLinks) {
    const auto link = [](std::string_view members) {
        return problem(R"({"nodes":[{"name":"a","count":2,"devices":[{"kind":"cpu","memory":1}]}],)"
                       R"("links":[{)" +
                       std::string(members) + "}]}");
    };
    EXPECT_EQ(link(R"("kind":"network","from":[0],"to":[1])"), "");
    EXPECT_EQ(link(R"("kind":"pcie","from":[0],"to":[0,0])"), "");
    EXPECT_EQ(link(R"("kind":"network","from":[0],"to":[2])"),
              "links[0]: to must be [node] or [node, device], counted from 0");
    EXPECT_EQ(link(R"("kind":"pcie","from":[0],"to":[0,1])"),
              "links[0]: to names a device that node 0 does not have");
    EXPECT_EQ(link(R"("kind":"wire","scope":"nodes")"),
              "links[0]: kind must be memory, nvlink, pcie or network, not 'wire'");
    EXPECT_EQ(link(R"("kind":"network","scope":"all")"),
              "links[0]: scope must be nodes, host or devices, not 'all'");
    EXPECT_EQ(link(R"("kind":"network","scope":"nodes","to":[1])"),
              "links[0]: has a scope as well as ends");
}

}  // namespace
}  // namespace fl::topology
