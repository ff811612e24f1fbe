// SPDX-License-Identifier: Apache-2.0
// The values inside GGUF's blocks (ggml-common.h for the layouts, ggml-quants.c for the formulas).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/dtype.h"

namespace fl::checkpoint {

bool hasBlockValues(DType dtype);

// Appends the values of whole blocks. Precondition: hasBlockValues.
void decodeBlocks(DType dtype, std::span<const std::byte> bytes, std::vector<float>& out);

}  // namespace fl::checkpoint
