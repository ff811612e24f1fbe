// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/silu_mul.h"

#include <cmath>

namespace fl::kernels::ref {

void siluMul(const fl_silu_mul_args& args) {
    for (std::int64_t i = 0; i < args.rows * args.width; ++i) {
        const double gate = args.gate[i];
        args.y[i] = static_cast<float>(gate / (1.0 + std::exp(-gate)) * double{args.up[i]});
    }
}

}  // namespace fl::kernels::ref
