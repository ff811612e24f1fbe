// SPDX-License-Identifier: Apache-2.0
// Stored values of every weight type as numbers, one at a time and as obvious as possible.
//
// Block layouts: ggml-common.h of the ggml project; decoding as its ggml-quants.c does it.
#pragma once

#include <cstdint>

#include "kernels/api/dtype.h"

namespace fl::kernels::ref {

float floatFromHalf(std::uint16_t bits);
float floatFromBf16(std::uint16_t bits);
// Nearest, ties to even; NaN stays NaN.
std::uint16_t bf16FromFloat(float value);
std::uint16_t halfFromFloat(float value);

// Widens one row of `count` values. False, and nothing written, for a type that holds no weights
// or a count that is not whole blocks. `from` needs no alignment.
bool dequantiseRow(fl_dtype type, const void* from, std::int64_t count, float* to);

}  // namespace fl::kernels::ref
