// SPDX-License-Identifier: Apache-2.0
// The moe_experts operator on CPU threads.
//
// Rows are gathered by expert, so that an expert's weights are read once for all rows that chose
// it.
#pragma once

#include <cstdint>

#include "kernels/api/moe_experts.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* moeExperts(const fl_moe_experts_args& args, Parallel& parallel);

std::int64_t moeExpertsScratchBytes(const fl_moe_experts_args& args, int threads);

}  // namespace fl::kernels::cpu
