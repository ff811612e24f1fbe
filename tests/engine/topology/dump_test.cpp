// SPDX-License-Identifier: Apache-2.0
#include "engine/topology/dump.h"

#include <gtest/gtest.h>

#include "engine/topology/cluster_file.h"
#include "tests/support/data.h"

namespace fl::topology {
namespace {

TEST(Dump, FoldsEqualDevicesAndLinks) {
    const auto cluster = readClusterFile(test::sourceResourcesDir() + "/clusters/cpu-laptop.json");
    ASSERT_TRUE(cluster);
    EXPECT_EQ(dump(*cluster),
              "cluster cpu-laptop: 1 nodes, 2 devices\n"
              "node laptop: 1 sockets, 8 cores, 1 NUMA nodes, 32.0 GiB\n"
              "  1 × L3 16.0 MiB\n"
              "  2 × CPU card (cpu), 12.0 GiB, memory 27.9 GiB/s, 0.4 Tflop/s\n"
              "2 × memory device to node, 27.9 GiB/s, 20 µs\n"
              "1 × memory between devices, 14.0 GiB/s, 2 µs\n");
}

}  // namespace
}  // namespace fl::topology
