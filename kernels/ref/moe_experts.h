// SPDX-License-Identifier: Apache-2.0
// The moe_experts operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/moe_experts.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/moe_experts.h"

namespace fl::kernels::ref {

void moeExperts(const fl_moe_experts_args& args);

}  // namespace fl::kernels::ref
