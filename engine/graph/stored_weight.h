// SPDX-License-Identifier: Apache-2.0
// How the checkpoint stores a weight of the graph: known to the recipe's contract, needed by the
// plan, because slices respect quantisation blocks and the ledger counts stored bytes.
#pragma once

#include <cstdint>

#include "engine/base/dtype.h"

namespace fl::graph {

// One per weight of the graph, index: WeightId.
struct StoredWeight {
    DType dtype = DType::F32;
    std::int64_t bytesPerTensor = 0;  // of one expert, where the weight is a family
};

}  // namespace fl::graph
