// SPDX-License-Identifier: Apache-2.0
// The rope operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/rope.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* rope(const fl_rope_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
