// SPDX-License-Identifier: Apache-2.0
// The rope operator in plain double precision, one thread: what every other kernel is judged by.
// Arguments as kernels/api/rope.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/rope.h"

namespace fl::kernels::ref {

void rope(const fl_rope_args& args);

}  // namespace fl::kernels::ref
