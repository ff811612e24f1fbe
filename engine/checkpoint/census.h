// SPDX-License-Identifier: Apache-2.0
// How many parameters and bytes a checkpoint stores, by dtype.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {

struct DTypeCensus {
    DType dtype = DType::F32;
    std::int64_t tensors = 0;
    std::int64_t parameters = 0;  // elements
    std::int64_t bytes = 0;
};

struct Census {
    std::vector<DTypeCensus> byDType;  // most bytes first; only what occurs
    std::int64_t tensors = 0;
    std::int64_t parameters = 0;
    std::int64_t bytes = 0;
};

Census census(const Inventory& inventory);

}  // namespace fl::checkpoint
