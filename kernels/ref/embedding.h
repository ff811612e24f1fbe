// SPDX-License-Identifier: Apache-2.0
// The embedding operator in plain double precision, one thread: what every other kernel is judged
// by. Arguments as kernels/api/embedding.h says; they are not checked.
#pragma once

#include <cstdint>

#include "kernels/api/embedding.h"

namespace fl::kernels::ref {

void embedding(const fl_embedding_args& args);

}  // namespace fl::kernels::ref
