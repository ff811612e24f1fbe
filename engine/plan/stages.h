// SPDX-License-Identifier: Apache-2.0
// Which layers each pipeline stage holds.
#pragma once

#include <vector>

#include "engine/plan/plan.h"

namespace fl::plan {

// Contiguous stages whose largest one is as small as can be, counted in stored bytes with the
// embedding on the first stage and the head on the last. `layers`: as many per stage instead.
// Precondition: 1 ≤ pp ≤ layer count; `layers` is empty or has pp entries ≥ 1 of that sum.
std::vector<Stage> makeStages(const graph::Graph& graph,
                              const std::vector<StoredWeight>& stored,
                              int pp,
                              const std::vector<int>& layers);

}  // namespace fl::plan
