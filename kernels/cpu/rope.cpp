// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/rope.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rope.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

// One head whose pairs are (i, i + pairs).
static void turnHalves(float* x, std::int64_t pairs, const float* cosine, const float* sine) {
    const Floats d;
    std::int64_t i = 0;
    for (; i + kLanes <= pairs; i += kLanes) {
        const auto a = load(x + i);
        const auto b = load(x + pairs + i);
        const auto c = load(cosine + i);
        const auto s = load(sine + i);
        hn::StoreU(hn::MulSub(a, c, hn::Mul(b, s)), d, x + i);
        hn::StoreU(hn::MulAdd(a, s, hn::Mul(b, c)), d, x + pairs + i);
    }
    for (; i < pairs; ++i) {
        const float a = x[i];
        const float b = x[pairs + i];
        x[i] = a * cosine[i] - b * sine[i];
        x[pairs + i] = a * sine[i] + b * cosine[i];
    }
}

// One head whose pairs are (2i, 2i + 1).
static void turnNeighbours(float* x, std::int64_t pairs, const float* cosine, const float* sine) {
    const Floats d;
    std::int64_t i = 0;
    for (; i + kLanes <= pairs; i += kLanes) {
        Vector a;
        Vector b;
        hn::LoadInterleaved2(d, x + 2 * i, a, b);
        const auto c = load(cosine + i);
        const auto s = load(sine + i);
        hn::StoreInterleaved2(hn::MulSub(a, c, hn::Mul(b, s)), hn::MulAdd(a, s, hn::Mul(b, c)), d,
                              x + 2 * i);
    }
    for (; i < pairs; ++i) {
        const float a = x[2 * i];
        const float b = x[2 * i + 1];
        x[2 * i] = a * cosine[i] - b * sine[i];
        x[2 * i + 1] = a * sine[i] + b * cosine[i];
    }
}

// `table` holds rotary floats: the cosines, then the sines of one row.
static void turnRow(const fl_rope_args& args, std::int64_t row, float* table) {
    const std::int64_t pairs = args.rotary / 2;
    float* cosine = table;
    float* sine = table + pairs;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        // Rounded to float32 as in training; see kernels/ref/rope.cpp.
        const float angle =
            static_cast<float>(args.positions[row]) * args.inverse_frequencies[pair];
        cosine[pair] = std::cos(angle) * args.attention_factor;
        sine[pair] = std::sin(angle) * args.attention_factor;
    }
    for (std::int64_t head = 0; head < args.heads; ++head) {
        float* x = args.x + (row * args.heads + head) * args.head_dim;
        if (args.interleaved != 0) {
            turnNeighbours(x, pairs, cosine, sine);
        } else {
            turnHalves(x, pairs, cosine, sine);
        }
    }
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(turnRow);

const char* rope(const fl_rope_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.heads < 0 || args.head_dim < 0)
        return "a negative size";
    if (args.rotary < 0 || args.rotary > args.head_dim || args.rotary % 2 != 0)
        return "`rotary` is odd or more than `head_dim`";
    const auto turn = HWY_DYNAMIC_DISPATCH(turnRow);
    float* tables = parallel.scratch(Slot::Panels, std::int64_t{parallel.threads()} * args.rotary);
    // Sines weigh about as much as sixteen products.
    const std::int64_t cost = std::int64_t{args.heads} * args.head_dim + args.rotary * 16;
    parallel.forRanges(args.rows, kTakeElements / std::max<std::int64_t>(cost, 1),
                       [&](std::int64_t begin, std::int64_t end, int thread) {
                           for (std::int64_t row = begin; row < end; ++row)
                               turn(args, row, tables + std::int64_t{thread} * args.rotary);
                       });
    return nullptr;
}

}  // namespace fl::kernels::cpu
#endif
