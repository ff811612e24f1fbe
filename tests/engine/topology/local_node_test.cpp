// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/local_node.h"

#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "tests/support/data.h"

namespace fl::topology {
namespace {

TEST(LocalNode, DescribesARecordedMachine) {
    const auto xml = readFile(test::dataDir() + "/topology/two-sockets.xml");
    ASSERT_TRUE(xml) << xml.error().message;
    const auto node = nodeFromXml(*xml);
    ASSERT_TRUE(node) << node.error().message;
    EXPECT_EQ(node->name, "gpu-17");
    EXPECT_EQ(node->sockets, 2);
    EXPECT_EQ(node->cores, 8);
    EXPECT_EQ(node->numaNodes, 2);
    EXPECT_EQ(node->memoryBytes, std::int64_t{1} << 40);
    ASSERT_EQ(node->caches.size(), 2U);
    EXPECT_EQ(node->caches[0], (Cache{2, 1 << 20, 8}));
    EXPECT_EQ(node->caches[1], (Cache{3, 32 << 20, 2}));
}

TEST(LocalNode, FindsCardsWithTheirPlace) {
    const auto node = nodeFromXml(*readFile(test::dataDir() + "/topology/two-sockets.xml"));
    ASSERT_TRUE(node);
    // Not the board's own display chip, and not the network card.
    ASSERT_EQ(node->devices.size(), 3U);
    EXPECT_EQ(node->devices[0].kind, "cuda");
    EXPECT_EQ(node->devices[0].name, "GH100 [H100 SXM5 80GB]");
    EXPECT_EQ(node->devices[0].pciAddress, "0000:1b:00.0");
    EXPECT_EQ(node->devices[0].numaNode, 0);
    EXPECT_EQ(node->devices[1].index, 1);
    EXPECT_EQ(node->devices[1].pciAddress, "0000:9b:00.0");
    EXPECT_EQ(node->devices[1].numaNode, 1);
    EXPECT_EQ(node->devices[2].kind, "hip");
    EXPECT_EQ(node->devices[2].name, "PCI 1002:74a1");
    EXPECT_EQ(node->devices[2].index, 0);
}

TEST(LocalNode, DescribesThisMachine) {
    const auto node = localNode();
    ASSERT_TRUE(node) << node.error().message;
    EXPECT_FALSE(node->name.empty());
    EXPECT_GE(node->cores, 1);
    EXPECT_LE(node->cores, static_cast<int>(std::thread::hardware_concurrency()));
    // What the kernel has to give, also where its NUMA nodes manage less at the moment.
    EXPECT_GE(node->memoryBytes, std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE));
}

TEST(LocalNode, RefusesWhatIsNoTopology) {
    for (const char* xml : {"", "not xml", "<topology version=\"2.0\"></topology>"})
        EXPECT_EQ(nodeFromXml(xml).error().message, "this is no topology that hwloc can read");
}

}  // namespace
}  // namespace fl::topology
