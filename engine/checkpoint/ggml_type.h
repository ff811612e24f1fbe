// SPDX-License-Identifier: Apache-2.0
// The tensor types a GGUF file can name (ggml.h, enum ggml_type).
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/dtype.h"

namespace fl::checkpoint {

// Nothing if ggml has no such type, or has none any more.
std::optional<DType> ggmlType(std::uint32_t number);

}  // namespace fl::checkpoint
