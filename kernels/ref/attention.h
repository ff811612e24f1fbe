// SPDX-License-Identifier: Apache-2.0
// The attention operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/attention.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/attention.h"

namespace fl::kernels::ref {

void attention(const fl_attention_args& args);

}  // namespace fl::kernels::ref
