// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/silu_mul.h"

#include <cstdint>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/silu_mul.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

static Vector siluMulVector(Vector gate, Vector up) {
    const Floats d;
    // exp(88) is the last power of ten below infinity; beyond it the answer is zero anyway.
    const auto power = hn::Exp(d, hn::Min(hn::Neg(gate), hn::Set(d, 88.0F)));
    return hn::Mul(hn::Div(gate, hn::Add(hn::Set(d, 1.0F), power)), up);
}

static void siluMulRange(const fl_silu_mul_args& args, std::int64_t begin, std::int64_t end) {
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes)
        hn::StoreU(siluMulVector(load(args.gate + i), load(args.up + i)), Floats(), args.y + i);
    for (; i < end; ++i) {
        const Floats d;
        const auto gate = hn::Set(d, args.gate[i]);
        args.y[i] = hn::GetLane(siluMulVector(gate, hn::Set(d, args.up[i])));
    }
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(siluMulRange);

const char* siluMul(const fl_silu_mul_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.width < 0)
        return "a negative size";
    const auto range = HWY_DYNAMIC_DISPATCH(siluMulRange);
    parallel.forRanges(
        args.rows * args.width,
        kTakeElements / 4,  // an exponential each
        [&](std::int64_t begin, std::int64_t end, int /*thread*/) { range(args, begin, end); });
    return nullptr;
}

}  // namespace fl::kernels::cpu
#endif
