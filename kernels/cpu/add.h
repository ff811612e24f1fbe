// SPDX-License-Identifier: Apache-2.0
// The add operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/add.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* add(const fl_add_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
