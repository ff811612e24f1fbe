// SPDX-License-Identifier: Apache-2.0
// The embedding operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/embedding.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* embedding(const fl_embedding_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
