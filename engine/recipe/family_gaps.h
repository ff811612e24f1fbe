// SPDX-License-Identifier: Apache-2.0
// Layers and experts that are missing or too many as a whole: one sentence instead of one for each
// of their tensors.
#pragma once

#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/graph/graph.h"

namespace fl::recipe {

// A family is what stands in front of a number in tensor names ("model.layers" in
// "model.layers.7.…"). Where the graph's numbers are not the checkpoint's, that is one finding,
// family-incomplete or family-surplus. Linear in the number of tensors.
std::vector<Finding> findFamilyGaps(const graph::Graph& graph,
                                    const checkpoint::Inventory& inventory);

// dtype-mixed: weights in another 16-bit type than torch_dtype (or dtype) says, beside some that
// are as it says. Tensors kept in float32 are no mixture.
std::vector<Finding> findMixedTypes(const Json& config, const checkpoint::Inventory& inventory);

}  // namespace fl::recipe
