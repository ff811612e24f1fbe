// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/linear.h"

#include <vector>

#include "kernels/ref/dequantise.h"

namespace fl::kernels::ref {

static double activation(float value, fl_compute compute) {
    return compute == FL_COMPUTE_BF16 ? floatFromBf16(bf16FromFloat(value)) : value;
}

static float biasOf(const fl_linear_args& args, std::int64_t output) {
    if (args.bias == nullptr)
        return 0;
    float value = 0;
    const auto* bytes = static_cast<const std::uint8_t*>(args.bias);
    dequantiseRow(args.bias_dtype, bytes + fl_row_bytes(args.bias_dtype, output), 1, &value);
    return value;
}

void linear(const fl_linear_args& args) {
    const auto* weights = static_cast<const std::uint8_t*>(args.weight);
    const std::int64_t rowBytes = fl_row_bytes(args.weight_dtype, args.in);
    std::vector<float> weight(static_cast<std::size_t>(args.in));
    for (std::int64_t output = 0; output < args.out; ++output) {
        dequantiseRow(args.weight_dtype, weights + output * rowBytes, args.in, weight.data());
        for (std::int64_t row = 0; row < args.rows; ++row) {
            double sum = biasOf(args, output);
            for (std::int64_t i = 0; i < args.in; ++i) {
                sum += activation(args.x[row * args.in + i], args.compute) *
                       double{weight[static_cast<std::size_t>(i)]};
            }
            args.y[row * args.out + output] = static_cast<float>(sum);
        }
    }
}

}  // namespace fl::kernels::ref
