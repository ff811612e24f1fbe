// SPDX-License-Identifier: Apache-2.0
// The gather_rows operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/gather_rows.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/gather_rows.h"

namespace fl::kernels::ref {

void gatherRows(const fl_gather_rows_args& args);

}  // namespace fl::kernels::ref
