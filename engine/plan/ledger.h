// SPDX-License-Identifier: Apache-2.0
// Bytes of one rank by category, from its slices and its graph.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/partition.h"
#include "engine/plan/plan.h"

namespace fl::plan {

// What a decode step sends within one kind of group; a hand-over counts where it arrives.
struct Traffic {
    std::string group;  // "tp", "pp", "edp"
    int collectives = 0;
    double bytes = 0;  // of this rank's values that are summed, joined or handed on
};

// What a rank costs, and what its steps read and send: for the ledger and the prediction.
struct RankCost {
    Ledger ledger;  // capacity still unset
    std::int64_t kvBytesPerPage = 0;
    std::int64_t bytesPerSequence = 0;  // besides its pages: state, page table, logits
    double weightBytesPerStep = 0;      // read by one decode step
    double kvBytesPerStep = 0;
    double flopsPerStep = 0;
    double flopsPerChunk = 0;  // of maxBatchTokens rows
    int operators = 0;
    std::vector<Traffic> traffic;  // one entry per kind of group
};

// Precondition: the plan's mesh, options and stages are set and legal. `kind` is the device's.
Result<RankCost> rankCost(const Partition& partition,
                          const Plan& plan,
                          const Coordinates& where,
                          const std::string& kind);

std::int64_t pagesPerSequence(const PlanOptions& options);
// Of one sequence in this state, which is paged: fewer where a window moves over them.
std::int64_t pagesPerSequence(const graph::State& state, const PlanOptions& options);
// What a page of this state takes.
std::int64_t pageBytes(const graph::State& state, const PlanOptions& options);

// A rank's costs and the budget that they meet.
struct FitQuestion {
    int rank = 0;
    const RankCost* cost = nullptr;
    std::int64_t capacity = 0;
};
// `longest`: the context that the model allows.
Fit fitOf(const PlanOptions& options, const std::vector<FitQuestion>& ranks, std::int64_t longest);

// What a node's machine has to hold. Cards of kind "cpu" are made of its memory.
std::vector<HostLedger> hostLedgers(const Plan& plan, const topology::Cluster& cluster);

// While weights are loaded, a rank reads them through a window of this size.
std::int64_t stagingBytes(int ranksOnNode);

}  // namespace fl::plan
