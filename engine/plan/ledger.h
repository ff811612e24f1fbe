// SPDX-License-Identifier: Apache-2.0
// Bytes of one rank by category, from its slices and its graph.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/partition.h"
#include "engine/plan/plan.h"

namespace fl::plan {

// What a decode step sends within one kind of group.
struct Traffic {
    std::string group;  // "tp", "pp", "edp"
    int collectives = 0;
    double bytes = 0;  // of the values that are summed, joined or handed on
};

// What a rank costs, and what its steps read and send: for the ledger and the prediction.
struct RankCost {
    Ledger ledger;                  // capacity still unset
    double weightBytesPerStep = 0;  // read by one decode step
    double kvBytesPerStep = 0;
    double flopsPerStep = 0;
    std::vector<Traffic> traffic;  // one entry per kind of group
};

// Precondition: the plan's mesh, options and stages are set and legal. `kind` is the device's.
Result<RankCost> rankCost(const Partition& partition,
                          const Plan& plan,
                          const Coordinates& where,
                          const std::string& kind);

std::int64_t pagesPerSequence(const PlanOptions& options);

}  // namespace fl::plan
