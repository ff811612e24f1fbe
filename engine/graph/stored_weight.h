// SPDX-License-Identifier: Apache-2.0
// How the checkpoint stores a weight of the graph: known to the recipe's contract, needed by the
// plan, because slices respect quantisation blocks and the ledger counts stored bytes.
#pragma once

#include <cstdint>
#include <numeric>

#include "engine/base/dtype.h"

namespace fl::graph {

// One per weight of the graph, index: WeightId. Bytes are those of one expert, where the weight is
// a family.
struct StoredWeight {
    DType dtype = DType::F32;  // of the stored elements
    std::int64_t bytesPerTensor = 0;
    std::int64_t scaleBytesPerTensor = 0;  // of the companions
    std::int64_t blockRows = 1;            // rows and columns of values that share a scale
    std::int64_t blockColumns = 1;

    // Columns that a slice may not part.
    std::int64_t columnUnit() const {
        return std::lcm(std::int64_t{blockLayout(dtype).values}, blockColumns);
    }
};

}  // namespace fl::graph
