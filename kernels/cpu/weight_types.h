// SPDX-License-Identifier: Apache-2.0
// Which element types the kernels read.
#pragma once

#include <cstdint>

#include "kernels/api/dtype.h"

namespace fl::kernels::cpu {

constexpr bool isPlain(fl_dtype type) {
    return type == FL_F32 || type == FL_F16 || type == FL_BF16;
}

constexpr bool isWeight(fl_dtype type) {
    return isPlain(type) || (type >= FL_Q4_0 && type <= FL_Q6_K);
}

// Whether rows of `width` values can be stored in that type and read here.
inline bool isWeightRow(fl_dtype type, std::int64_t width) {
    return isWeight(type) && fl_row_bytes(type, width) >= 0;
}

}  // namespace fl::kernels::cpu
