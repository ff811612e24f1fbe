// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/rms_norm.h"

#include <cmath>
#include <vector>

#include "kernels/ref/dequantise.h"

namespace fl::kernels::ref {

void rmsNorm(const fl_rms_norm_args& args) {
    std::vector<float> weight(static_cast<std::size_t>(args.width));
    dequantiseRow(args.weight_dtype, args.weight, args.width, weight.data());
    for (std::int64_t group = 0; group < args.rows * args.groups; ++group) {
        const float* x = args.x + group * args.width;
        float* y = args.y + group * args.width;
        double squares = 0;
        for (std::int64_t i = 0; i < args.width; ++i)
            squares += double{x[i]} * double{x[i]};
        const double root =
            std::sqrt(squares / static_cast<double>(args.width) + double{args.epsilon});
        for (std::int64_t i = 0; i < args.width; ++i) {
            const double scaled = double{x[i]} / root * double{weight[static_cast<std::size_t>(i)]};
            y[i] = static_cast<float>(scaled);
        }
    }
}

}  // namespace fl::kernels::ref
