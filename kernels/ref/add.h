// SPDX-License-Identifier: Apache-2.0
// The add operator in plain double precision, one thread: what every other kernel is judged by.
// Arguments as kernels/api/add.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/add.h"

namespace fl::kernels::ref {

void add(const fl_add_args& args);

}  // namespace fl::kernels::ref
