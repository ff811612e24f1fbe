// SPDX-License-Identifier: Apache-2.0
// The tensor types a GGUF file can name (ggml.h, enum ggml_type; ggml-common.h for the blocks).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/dtype.h"

namespace fl::checkpoint {

struct GgmlType {
    std::uint32_t number = 0;
    std::string_view name;
    BlockLayout layout;
    std::optional<DType> dtype;  // nothing: known, but this version cannot read it
};

// nullptr if ggml has no such type, or has none any more.
const GgmlType* ggmlType(std::uint32_t number);

}  // namespace fl::checkpoint
