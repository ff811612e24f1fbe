// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/moe_experts.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/linear.h"
#include "kernels/cpu/silu_mul.h"
#include "kernels/cpu/weight_types.h"

namespace fl::kernels::cpu {

// As many as linear takes in one block.
constexpr int kGatheredRows = 128;

struct Gathered {
    std::array<std::int64_t, kGatheredRows> rows;
    std::array<float, kGatheredRows> weights;
    int count = 0;
};

static fl_linear_args product(const fl_moe_experts_args& args,
                              const Gathered& gathered,
                              fl_dtype type,
                              const void* weight) {
    fl_linear_args linear{};
    linear.size = sizeof linear;
    linear.rows = gathered.count;
    linear.weight = weight;
    linear.weight_dtype = type;
    linear.compute = args.compute;
    return linear;
}

static void addOutputs(const fl_moe_experts_args& args,
                       const Gathered& gathered,
                       const float* outputs) {
    for (int i = 0; i < gathered.count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const float weight = gathered.weights[at];
        const float* from = outputs + i * args.hidden;
        float* to = args.y + gathered.rows[at] * args.hidden;
        for (std::int64_t value = 0; value < args.hidden; ++value)
            to[value] += weight * from[value];
    }
}

static void runExpert(const fl_moe_experts_args& args,
                      std::int64_t expert,
                      const Gathered& gathered,
                      Parallel& parallel) {
    float* x = parallel.scratch(Slot::Gathered, gathered.count * args.hidden);
    float* gate = parallel.scratch(Slot::Gate, gathered.count * args.intermediate);
    float* up = parallel.scratch(Slot::Up, gathered.count * args.intermediate);
    float* out = parallel.scratch(Slot::Out, gathered.count * args.hidden);
    for (int i = 0; i < gathered.count; ++i) {
        const float* from = args.x + gathered.rows[static_cast<std::size_t>(i)] * args.hidden;
        std::copy(from, from + args.hidden, x + i * args.hidden);
    }
    fl_linear_args inner = product(args, gathered, args.gate_dtype, args.gate[expert]);
    inner.in = args.hidden;
    inner.out = args.intermediate;
    inner.x = x;
    inner.y = gate;
    linear(inner, parallel);
    inner.weight_dtype = args.up_dtype;
    inner.weight = args.up[expert];
    inner.y = up;
    linear(inner, parallel);
    siluMul({sizeof(fl_silu_mul_args), gathered.count, args.intermediate, gate, up, gate},
            parallel);
    fl_linear_args outer = product(args, gathered, args.down_dtype, args.down[expert]);
    outer.in = args.intermediate;
    outer.out = args.hidden;
    outer.x = gate;
    outer.y = out;
    linear(outer, parallel);
    addOutputs(args, gathered, out);
}

// All rows that chose one expert, a block at a time.
static void serveExpert(const fl_moe_experts_args& args, std::int64_t expert, Parallel& parallel) {
    Gathered gathered;
    for (std::int64_t choice = 0; choice < args.rows * args.k; ++choice) {
        if (args.ids[choice] - std::int64_t{args.first_expert} != expert)
            continue;
        const auto at = static_cast<std::size_t>(gathered.count++);
        gathered.rows[at] = choice / args.k;
        gathered.weights[at] = args.weights[choice];
        if (gathered.count == kGatheredRows) {
            runExpert(args, expert, gathered, parallel);
            gathered.count = 0;
        }
    }
    if (gathered.count > 0)
        runExpert(args, expert, gathered, parallel);
}

const char* moeExperts(const fl_moe_experts_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.hidden < 0 || args.intermediate < 0 || args.local_experts < 0)
        return "a negative size";
    if (args.k < 1)
        return "`k` is not at least 1";
    if (!isWeightRow(args.gate_dtype, args.hidden) || !isWeightRow(args.up_dtype, args.hidden) ||
        !isWeightRow(args.down_dtype, args.intermediate))
        return "a weight type is unknown, or a width is not whole blocks of it";
    if (args.compute != FL_COMPUTE_F32 && args.compute != FL_COMPUTE_BF16)
        return "products are computed as f32 or bf16 only";
    std::fill(args.y, args.y + args.rows * args.hidden, 0.0F);
    for (std::int64_t expert = 0; expert < args.local_experts; ++expert)
        serveExpert(args, expert, parallel);
    return nullptr;
}

std::int64_t moeExpertsScratchBytes(const fl_moe_experts_args& args, int threads) {
    Gathered most;
    most.count = static_cast<int>(std::min<std::int64_t>(args.rows * args.k, kGatheredRows));
    fl_linear_args inner = product(args, most, args.gate_dtype, nullptr);
    inner.in = args.hidden;
    fl_linear_args outer = product(args, most, args.down_dtype, nullptr);
    outer.in = args.intermediate;
    return std::int64_t{2} * most.count * (args.hidden + args.intermediate) *
               static_cast<std::int64_t>(sizeof(float)) +
           std::max(linearScratchBytes(inner, threads), linearScratchBytes(outer, threads));
}

}  // namespace fl::kernels::cpu
