// SPDX-License-Identifier: Apache-2.0
// Values of single tensors, for references, checks and dumps. Loading a model goes another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {

// The tensor of that name; NotFound names the nearest ones.
Result<const TensorInfo*> findTensor(const Checkpoint& checkpoint, std::string_view name);

// As stored. Fails if the file is shorter than its header says.
Result<std::vector<std::byte>> readBytes(const Checkpoint& checkpoint, const TensorInfo& tensor);

// In row order. Plain types only (no block formats, no 8-bit floats): else Unsupported. Floats may
// be asked of integers; integers of floats not.
Result<std::vector<float>> readFloats(const Checkpoint& checkpoint, const TensorInfo& tensor);
Result<std::vector<std::int64_t>> readIntegers(const Checkpoint& checkpoint,
                                               const TensorInfo& tensor);

}  // namespace fl::checkpoint
