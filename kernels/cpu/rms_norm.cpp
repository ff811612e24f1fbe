// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/rms_norm.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/targets.h"
#include "kernels/cpu/weight_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rms_norm.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

static float sumOfSquares(const float* x, std::int64_t width) {
    const Floats d;
    auto first = hn::Zero(d);
    auto second = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= width; i += 2 * kLanes) {
        const auto a = load(x + i);
        const auto b = load(x + i + kLanes);
        first = hn::MulAdd(a, a, first);
        second = hn::MulAdd(b, b, second);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second)));
    for (; i < width; ++i)
        sum += x[i] * x[i];
    return sum;
}

template <class W>
static void scaleGroup(
    const float* x, const W* weight, float factor, std::int64_t width, float* y) {
    const auto factors = hn::Set(Floats(), factor);
    std::int64_t i = 0;
    for (; i + kLanes <= width; i += kLanes)
        hn::StoreU(hn::Mul(hn::Mul(load(x + i), factors), load(weight + i)), Floats(), y + i);
    for (; i < width; ++i)
        y[i] = x[i] * factor * loadOne(weight + i);
}

static void normGroups(const fl_rms_norm_args& args, std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
        const float* x = args.x + group * args.width;
        float* y = args.y + group * args.width;
        const float mean = sumOfSquares(x, args.width) / static_cast<float>(args.width);
        const float factor = 1.0F / std::sqrt(mean + args.epsilon);
        if (args.weight_dtype == FL_F32) {
            scaleGroup(x, static_cast<const float*>(args.weight), factor, args.width, y);
        } else if (args.weight_dtype == FL_F16) {
            scaleGroup(x, static_cast<const hwy::float16_t*>(args.weight), factor, args.width, y);
        } else {
            scaleGroup(x, static_cast<const hwy::bfloat16_t*>(args.weight), factor, args.width, y);
        }
    }
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(normGroups);

const char* rmsNorm(const fl_rms_norm_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.groups < 0 || args.width < 0)
        return "a negative size";
    if (!isPlain(args.weight_dtype))
        return "the weight is neither float32, float16 nor bfloat16";
    const auto norm = HWY_DYNAMIC_DISPATCH(normGroups);
    parallel.forRanges(
        args.rows * args.groups, kTakeElements / std::max<std::int64_t>(args.width, 1),
        [&](std::int64_t begin, std::int64_t end, int /*thread*/) { norm(args, begin, end); });
    return nullptr;
}

}  // namespace fl::kernels::cpu
#endif
