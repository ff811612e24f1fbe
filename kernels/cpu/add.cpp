// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/add.h"

#include <cstdint>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/add.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

static void addRange(const fl_add_args& args, std::int64_t begin, std::int64_t end) {
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes)
        hn::StoreU(hn::Add(load(args.a + i), load(args.b + i)), Floats(), args.y + i);
    for (; i < end; ++i)
        args.y[i] = args.a[i] + args.b[i];
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(addRange);

const char* add(const fl_add_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.width < 0)
        return "a negative size";
    const auto range = HWY_DYNAMIC_DISPATCH(addRange);
    parallel.forRanges(
        args.rows * args.width, kTakeElements,
        [&](std::int64_t begin, std::int64_t end, int /*thread*/) { range(args, begin, end); });
    return nullptr;
}

}  // namespace fl::kernels::cpu
#endif
