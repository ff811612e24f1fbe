// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/rope.h"

#include <cmath>

namespace fl::kernels::ref {

static void turn(float& first, float& second, double sine, double cosine) {
    const double a = first;
    const double b = second;
    first = static_cast<float>(a * cosine - b * sine);
    second = static_cast<float>(a * sine + b * cosine);
}

void rope(const fl_rope_args& args) {
    const int pairs = args.rotary / 2;
    for (std::int64_t row = 0; row < args.rows; ++row) {
        for (int pair = 0; pair < pairs; ++pair) {
            // The models were trained with angles rounded to float32, so that rounding is part of
            // the operator.
            const float angle =
                static_cast<float>(args.positions[row]) * args.inverse_frequencies[pair];
            const double sine = std::sin(double{angle}) * double{args.attention_factor};
            const double cosine = std::cos(double{angle}) * double{args.attention_factor};
            for (int head = 0; head < args.heads; ++head) {
                float* x = args.x + (row * args.heads + head) * args.head_dim;
                if (args.interleaved != 0) {
                    turn(x[2 * pair], x[2 * pair + 1], sine, cosine);
                } else {
                    turn(x[pair], x[pair + pairs], sine, cosine);
                }
            }
        }
    }
}

}  // namespace fl::kernels::ref
