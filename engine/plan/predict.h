// SPDX-License-Identifier: Apache-2.0
// How long one decode step takes, from what the ranks read, compute and send. A model of the
// slowest part, for ranking plans against each other: not a promise.
#pragma once

#include <vector>

#include "engine/plan/ledger.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

struct LinkSpeed {
    double bytesPerSecond = 0;
    double latencySeconds = 0;
};

struct Speeds {
    double memoryBytesPerSecond = 0;
    double flops = 0;
    LinkSpeed near;  // between devices of one node
    LinkSpeed far;   // between nodes
};

// The slowest device and links of the cluster; where nothing is known, numbers of a CPU core with
// its share of memory (15 GB/s, 50 Gflop/s), of shared memory between processes (5 GB/s, 20 µs)
// and of a 25 Gbit/s network (3 GB/s, 50 µs).
Speeds speedsOf(const topology::Cluster& cluster);

// One kind of group on a mesh: how many ranks it has and whether any such group leaves its node.
struct GroupReach {
    std::string group;
    int ranks = 1;
    bool acrossNodes = false;
};
// `nodes`: the node of each rank.
std::vector<GroupReach> reachOf(const Mesh& mesh, const std::vector<int>& nodes);

// Stages run one after the other on a step's rows: their times add up. One cost per stage, that of
// its slowest rank.
Predicted predictStep(const std::vector<RankCost>& stages,
                      const std::vector<GroupReach>& reach,
                      const Speeds& speeds);

}  // namespace fl::plan
