// SPDX-License-Identifier: Apache-2.0
// The router_topk operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/router_topk.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/router_topk.h"

namespace fl::kernels::ref {

void routerTopk(const fl_router_topk_args& args);

}  // namespace fl::kernels::ref
