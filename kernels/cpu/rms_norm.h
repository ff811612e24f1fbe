// SPDX-License-Identifier: Apache-2.0
// The rms_norm operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/rms_norm.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* rmsNorm(const fl_rms_norm_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
