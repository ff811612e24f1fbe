// SPDX-License-Identifier: Apache-2.0
// The gather_rows operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/gather_rows.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* gatherRows(const fl_gather_rows_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
