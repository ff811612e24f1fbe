// SPDX-License-Identifier: Apache-2.0
// How long one decode step takes. A model of the slowest part, for ranking plans against each other
// and for a first idea: not a promise. All of its terms are here.
//
// A step decodes one token of each of the B = maxSequences sequences of a replica, each with half
// of maxContext behind it. For the slowest rank of each pipeline stage
//
//   weights        bytes of weights and scales that the step reads / memory rate. Of the experts,
//                  those that B rows touch if each chooses as if by lot: 1 − (1 − k/E)^rows
//   kv             bytes of cache and state that the sequences read / memory rate
//   flops          operations of all rows / arithmetic rate
//   overhead       operators · 2 µs: to launch one, or to start its threads
//   communication  for each group, collectives · ⌈log2 n⌉ · latency + bytes · share / link rate,
//                  with the slowest link between neighbours (links.h). share: 2 (n − 1) / n for the
//                  sums of a tensor-parallel group (a ring moves each byte nearly twice), n − 1 for
//                  tokens that travel between replicas, 1 for a hand-over between stages
//   stage          = max(weights + kv, flops) + overhead + communication
//
// Stages work on a step's rows one after the other:
//
//   step           = Σ stages
//   bubble         = step − step / stages: what a stage waits for the others, on average
//   tokens/s       = B · replicas / step
//   prefill        = Σ max(all weights read once, flops of a chunk) + overhead + communication of a
//                  chunk of maxBatchTokens rows
//
// Rates are the devices' own where a cluster names them. Cards that stand for a CPU share its
// cores, those of one stage among each other (the others wait meanwhile), and each takes no more of
// them than its `threads`: a core reads 15 GB/s and computes 100 Gflop/s, and a socket reads no
// more than eight of them do. Of other devices of which nothing is known a memory of 1 TB/s and
// 100 Tflop/s are taken.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/ledger.h"
#include "engine/plan/links.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

struct DeviceSpeed {
    double memoryBytesPerSecond = 0;
    double flops = 0;
    bool operator==(const DeviceSpeed&) const = default;
};

// `ranks`: how many run on the device's node at a time.
DeviceSpeed speedOf(const topology::Node& node, const topology::Device& device, int ranks);

// What a stage's slowest rank does in a step.
struct StageLoad {
    double weightBytes = 0;  // read by a decode step
    double kvBytes = 0;
    double flops = 0;
    double chunkFlops = 0;
    double heldBytes = 0;  // of weights and scales
    double operators = 0;
    std::vector<Traffic> traffic;
};
StageLoad loadOf(const RankCost& cost);

double communicationSeconds(const Traffic& traffic, const std::vector<GroupReach>& reach);

// `stages` and `speeds`: one of each stage.
Predicted predictStep(const std::vector<StageLoad>& stages,
                      const std::vector<DeviceSpeed>& speeds,
                      const std::vector<GroupReach>& reach,
                      const PlanOptions& options,
                      int replicas);

}  // namespace fl::plan
