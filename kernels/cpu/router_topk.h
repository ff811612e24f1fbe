// SPDX-License-Identifier: Apache-2.0
// The router_topk operator on CPU threads.
#pragma once

#include <cstdint>

#include "kernels/api/router_topk.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::cpu {

// Null, or what is wrong with the arguments; then nothing was written.
const char* routerTopk(const fl_router_topk_args& args, Parallel& parallel);

}  // namespace fl::kernels::cpu
