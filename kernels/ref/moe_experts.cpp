// SPDX-License-Identifier: Apache-2.0
#include "kernels/ref/moe_experts.h"

#include <algorithm>
#include <vector>

#include "kernels/ref/linear.h"
#include "kernels/ref/silu_mul.h"

namespace fl::kernels::ref {

static fl_linear_args product(const fl_moe_experts_args& args, fl_dtype type, const void* weight) {
    fl_linear_args linear{};
    linear.size = sizeof linear;
    linear.rows = 1;
    linear.weight = weight;
    linear.weight_dtype = type;
    linear.compute = args.compute;
    return linear;
}

// One expert's answer to one row.
static std::vector<float> expertRow(const fl_moe_experts_args& args, int expert, const float* x) {
    std::vector<float> gate(static_cast<std::size_t>(args.intermediate));
    std::vector<float> up(gate.size());
    std::vector<float> out(static_cast<std::size_t>(args.hidden));
    fl_linear_args inner = product(args, args.gate_dtype, args.gate[expert]);
    inner.in = args.hidden;
    inner.out = args.intermediate;
    inner.x = x;
    inner.y = gate.data();
    linear(inner);
    inner.weight_dtype = args.up_dtype;
    inner.weight = args.up[expert];
    inner.y = up.data();
    linear(inner);
    siluMul({sizeof(fl_silu_mul_args), 1, args.intermediate, gate.data(), up.data(), gate.data()});
    fl_linear_args outer = product(args, args.down_dtype, args.down[expert]);
    outer.in = args.intermediate;
    outer.out = args.hidden;
    outer.x = gate.data();
    outer.y = out.data();
    linear(outer);
    return out;
}

void moeExperts(const fl_moe_experts_args& args) {
    for (std::int64_t row = 0; row < args.rows; ++row) {
        std::vector<double> sum(static_cast<std::size_t>(args.hidden));
        for (int choice = 0; choice < args.k; ++choice) {
            const int expert = args.ids[row * args.k + choice] - args.first_expert;
            if (expert < 0 || expert >= args.local_experts)
                continue;
            const auto out = expertRow(args, expert, args.x + row * args.hidden);
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += double{args.weights[row * args.k + choice]} * double{out[i]};
        }
        std::transform(sum.begin(), sum.end(), args.y + row * args.hidden,
                       [](double value) { return static_cast<float>(value); });
    }
}

}  // namespace fl::kernels::ref
