// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/cluster_file.h"

#include <map>

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

const std::vector<std::string> kExamples = {"lab-4x8",    "cpu-laptop",    "h100-1x8",
                                            "h200-4x8",   "ascend-8x8",    "mixed",
                                            "desktops-2", "superpod-128x8"};

std::string example(const std::string& name) {
    return test::sourceResourcesDir() + "/clusters/" + name + ".json";
}

TEST(ClusterFile, WritesWhatItReads) {
    const test::TempDir folder;
    for (const std::string& name : kExamples) {
        const auto cluster = readClusterFile(example(name));
        ASSERT_TRUE(cluster) << cluster.error().message;
        EXPECT_EQ(cluster->name, name);
        const std::string path = folder / "written.json";
        ASSERT_TRUE(writeClusterFile(path, *cluster));
        const auto again = readClusterFile(path);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(*again, *cluster) << name;
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

TEST(ClusterFile, ScopesJoinWhatNoEarlierLinkJoins) {
    const auto pods = readClusterFile(example("superpod-128x8"));
    ASSERT_TRUE(pods);
    EXPECT_EQ(pods->deviceCount(), 1024);
    std::map<LinkKind, int> between;
    for (const Link& link : pods->links)
        between[link.kind] += link.fromNode != link.toNode ? 1 : 0;
    EXPECT_EQ(between[LinkKind::Hccs], 4 * 32 * 31 / 2);
    EXPECT_EQ(between[LinkKind::Network], 128 * 127 / 2 - 4 * 32 * 31 / 2);
    const auto mixed = readClusterFile(example("mixed"));
    ASSERT_TRUE(mixed);
    for (const Link& link : mixed->links) {
        const bool pair = link.fromNode == 2 && link.toNode == 2 && link.fromDevice >= 0;
        const double rate = link.fromDevice / 2 == link.toDevice / 2 ? 300e9 : 450e9;
        EXPECT_TRUE(!pair || link.nominalBytesPerSecond == rate);
    }
}

TEST(ClusterFile, TakesTheRateOfALinksKindWhereNoneIsNamed) {
    const auto cluster = readClusterFile(example("desktops-2"));
    ASSERT_TRUE(cluster);
    EXPECT_EQ(cluster->links.back().kind, LinkKind::Ethernet);
    EXPECT_EQ(cluster->links.back().nominalBytesPerSecond, 1.25e9);
    EXPECT_EQ(cluster->links.back().latencySeconds, 30e-6);
}

TEST(ClusterFile, NamesAllProblemsWithTheirLines) {
    const test::TempDir folder;
    const std::string path = test::writeTo(folder.path(), "c.json",
                                           R"({
  "nodes": [
    { "name": "a", "memry": "1GiB",
      "devices": [
        { "kind": "cpu", "memory": "80 gigs" },
        { "memory": 1, "budget": 2 }
      ] },
    { "name": "a" }
  ],
  "links": [
    { "kind": "nvlnk", "scope": "devices" }
  ]
})");
    const auto read = readClusterFile(path);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message,
              path + ":3: nodes[0].memry: unknown key (nearest: memory)\n" + path +
                  ":5: nodes[0].devices[0].memory: '80 gigs' is not a size (a number and one of "
                  "B, KiB, MiB, GiB, TiB)\n" +
                  path +
                  ":6: nodes[0].devices[1].kind: is missing (the plugin: \"cpu\", \"cuda\")\n" +
                  path + ":6: nodes[0].devices[1].budget: is larger than the memory\n" + path +
                  ":8: nodes[1].name: 'a' is the name of another node\n" + path +
                  ":11: links[0].kind: 'nvlnk' is not one of memory, nvlink, hccs, pcie, "
                  "infiniband, ethernet, network");
    EXPECT_EQ(
        readClusterFile(test::writeTo(folder.path(), "d.json", "{\"nods\":[]}")).error().message,
        (folder / "d.json") + ":1: nods: unknown key (nearest: nodes)\n" + (folder / "d.json") +
            ":1: nodes: a cluster needs nodes");
}

TEST(ClusterFile, NamesThePlaceOfABadValue) {
    const auto device = [](std::string_view members) {
        return problem(R"({"nodes":[{"name":"a","devices":[{)" + std::string(members) + "}]}]}");
    };
    EXPECT_EQ(device(R"("kind":"cpu","memory":-1)"),
              "nodes[0].devices[0].memory: must be bytes, or a text like \"80GiB\"");
    EXPECT_EQ(device(R"("kind":"cpu","memory":1,"count":0)"),
              "nodes[0].devices[0].count: must be a whole number from 1 to 65536");
    EXPECT_EQ(device(R"("kind":"cpu","memory":1,"flops":-1)"),
              "nodes[0].devices[0].flops: must be a number, zero or more");
    EXPECT_EQ(problem(R"({"nodes":[7]})"), "nodes[0]: is a number, not an object");
    EXPECT_EQ(problem("[]"), "is an array, not an object");
    EXPECT_EQ(problem("{}"), "nodes: a cluster needs nodes");
    EXPECT_EQ(problem(R"({"nodes":[{"name":"a"}]})"), "nodes: a cluster needs devices");
    EXPECT_EQ(problem(R"({"nodes":[{"name":"a","count":60000,"devices":
                          [{"kind":"cpu","memory":1,"count":60000}]}]})"),
              "nodes[0].count: makes more than 65,536 devices");
}

TEST(ClusterFile, WantsTheLevelOfACache) {
    const auto read = clusterFromJson(*Json::parse(
        R"({"nodes": [{"name": "a", "caches": [{"bytes": 1024}],
                       "devices": [{"kind": "cpu", "memory": "1GiB"}]}]})"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "nodes[0].caches[0].level: is missing");
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
              "links[0].to: must be [node] or [node, device], nodes 0 to 1");
    EXPECT_EQ(link(R"("kind":"pcie","from":[0],"to":[0,1])"),
              "links[0].to: names a device that node 0 does not have (0 to 0)");
    EXPECT_EQ(link(R"("kind":"pcie","from":[0],"to":[0])"),
              "links[0].to: is where the link begins");
    EXPECT_EQ(link(R"("kind":"network","scope":"all")"),
              "links[0].scope: 'all' is not one of host, devices, nodes");
    EXPECT_EQ(link(R"("kind":"network","scope":"nodes","to":[1])"),
              "links[0].to: does not go with a scope");
    EXPECT_EQ(link(R"("kind":"network","every":2,"from":[0],"to":[1])"),
              "links[0].every: belongs to a scope");
}

TEST(ClusterFile, TakesNoObjectForAList) {
    for (const char* text :
         {R"({"nodes":{"nodes":[{"caches":[0]}]}})", R"({"nodes":[],"links":{"a":1}})",
          R"({"nodes":[{"name":"n","devices":{"a":1},"caches":{"b":2}}]})"}) {
        const auto cluster = clusterFromJson(*Json::parse(text));
        ASSERT_FALSE(cluster) << text;
        EXPECT_NE(cluster.error().message.find("must be a list and is an object"),
                  std::string::npos)
            << cluster.error().message;
    }
}

}  // namespace
}  // namespace fl::topology
