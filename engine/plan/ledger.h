// SPDX-License-Identifier: Apache-2.0
// Bytes of one rank by category, from its slices and its graph.
#pragma once

#include "engine/plan/partition.h"
#include "engine/plan/plan.h"

namespace fl::plan {

// What a rank costs, and what its steps read and send: for the ledger and the prediction.
struct RankCost {
    Ledger ledger;                  // capacity still unset
    double weightBytesPerStep = 0;  // read by one decode step
    double kvBytesPerStep = 0;
    double flopsPerStep = 0;
    double sentBytesPerStep = 0;
    int collectives = 0;
};

// Precondition: the plan's mesh, options and stages are set and legal. `kind` is the device's.
Result<RankCost> rankCost(const Partition& partition,
                          const Plan& plan,
                          const Coordinates& where,
                          const std::string& kind);

std::int64_t pagesPerSequence(const PlanOptions& options);

}  // namespace fl::plan
