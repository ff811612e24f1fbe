// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/add.h"

namespace fl::kernels::ref {

void add(const fl_add_args& args) {
    for (std::int64_t i = 0; i < args.rows * args.width; ++i)
        args.y[i] = static_cast<float>(double{args.a[i]} + double{args.b[i]});
}

}  // namespace fl::kernels::ref
