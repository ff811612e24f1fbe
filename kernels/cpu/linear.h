// SPDX-License-Identifier: Apache-2.0
// The linear operator on CPU threads.
//
// Decoding streams every stored weight row once through the widening dot products; longer batches
// widen a few rows at a time into a panel that all tokens of a block read.
#pragma once

#include <cstdint>

#include "kernels/api/linear.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* linear(const fl_linear_args& args, Parallel& parallel);

std::int64_t linearScratchBytes(const fl_linear_args& args, int threads);

}  // namespace fl::kernels::cpu
