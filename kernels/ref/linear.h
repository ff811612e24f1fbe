// SPDX-License-Identifier: Apache-2.0
// The linear operator in plain double precision, one thread: what every other kernel is judged by.
// Arguments as kernels/api/linear.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/linear.h"

namespace fl::kernels::ref {

void linear(const fl_linear_args& args);

}  // namespace fl::kernels::ref
