// SPDX-License-Identifier: Apache-2.0
// The silu_mul operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/silu_mul.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/silu_mul.h"

namespace fl::kernels::ref {

void siluMul(const fl_silu_mul_args& args);

}  // namespace fl::kernels::ref
