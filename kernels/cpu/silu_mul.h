// SPDX-License-Identifier: Apache-2.0
// The silu_mul operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/silu_mul.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* siluMul(const fl_silu_mul_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
