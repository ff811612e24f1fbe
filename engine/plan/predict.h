// SPDX-License-Identifier: Apache-2.0
// How long one decode step takes, from what the ranks read, compute and send. A model of the
// slowest part, for ranking plans against each other: not a promise.
#pragma once

#include <vector>

#include "engine/plan/ledger.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

struct Speeds {
    double memoryBytesPerSecond = 0;
    double flops = 0;
    double linkBytesPerSecond = 0;
    double linkLatencySeconds = 0;
};

// The slowest device and link of the cluster; where nothing is known, numbers of a CPU core with
// its share of memory (15 GB/s, 50 Gflop/s) and of shared memory between processes.
Speeds speedsOf(const topology::Cluster& cluster);

// Stages run one after the other on a step's rows: their times add up. One cost per stage, that of
// its slowest rank.
Predicted predictStep(const std::vector<RankCost>& stages, const Speeds& speeds);

}  // namespace fl::plan
