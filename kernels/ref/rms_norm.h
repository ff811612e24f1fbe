// SPDX-License-Identifier: Apache-2.0
// The rms_norm operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/rms_norm.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/rms_norm.h"

namespace fl::kernels::ref {

void rmsNorm(const fl_rms_norm_args& args);

}  // namespace fl::kernels::ref
