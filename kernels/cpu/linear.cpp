// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/linear.h"

#include <algorithm>

#include "kernels/cpu/targets.h"
#include "kernels/cpu/weight_types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/dot-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

// Rows of x that share one widening of the weights: the rounded copy of them stays below 8 MiB
// for the widest models, and widening is a few per cent of the products.
constexpr std::int64_t kBlockRows = 128;
// Up to here a weight row in a plain type is widened in registers for every group of four rows.
constexpr std::int64_t kStreamedRows = 8;
// A panel of 8 rows × 1,024 values fits the first-level cache beside four rows of x.
constexpr std::int64_t kPanelRows = 8;
constexpr std::int64_t kPanelValues = 1024;
// One vector more than the values, so that the rows of a panel do not meet in the same cache set.
constexpr std::int64_t kPanelStride = kPanelValues + 16;
constexpr std::int64_t kPanelFloats = kPanelRows * kPanelStride;
// What a thread takes at a time: long enough for the hardware to prefetch, short enough to share.
constexpr std::int64_t kTakeBytes = 64 << 10;
constexpr std::int64_t kTakeProducts = 32 << 10;

static float biasOf(const fl_linear_args& args, std::int64_t output) {
    if (args.bias == nullptr)
        return 0;
    float value = 0;
    const auto* bytes = static_cast<Bytes>(args.bias);
    widenRow(args.bias_dtype, bytes + fl_row_bytes(args.bias_dtype, output), 1, &value);
    return value;
}

static void addBias(const fl_linear_args& args, std::int64_t begin, std::int64_t end) {
    if (args.bias == nullptr)
        return;
    for (std::int64_t output = begin; output < end; ++output) {
        const float bias = biasOf(args, output);
        for (std::int64_t row = 0; row < args.rows; ++row)
            args.y[row * args.out + output] += bias;
    }
}

// Weight rows an exclusive range of which a thread takes at a time; a multiple of `step`.
static std::int64_t takenRows(const fl_linear_args& args,
                              std::int64_t rowBytes,
                              std::int64_t step) {
    const std::int64_t byBytes = kTakeBytes / std::max<std::int64_t>(rowBytes, 1);
    const std::int64_t byProducts = kTakeProducts / std::max<std::int64_t>(args.in * args.rows, 1);
    const std::int64_t rows = std::max(args.rows > kStreamedRows ? 0 : byBytes, byProducts);
    return (rows / step + 1) * step;
}

template <class W>
static void streamRows(const fl_linear_args& args, Parallel& parallel) {
    const Rows<W> weights{static_cast<const W*>(args.weight), args.in};
    const Rows<float> x{args.x, args.in};
    const std::int64_t rowBytes = args.in * static_cast<std::int64_t>(sizeof(W));
    parallel.forRanges(args.out, takenRows(args, rowBytes, 4),
                       [&](std::int64_t begin, std::int64_t end, int /*thread*/) HWY_ATTR {
                           dotAll<From::Memory>(x, args.rows, weights.from(begin), end - begin,
                                                args.in, args.y + begin, args.out);
                           addBias(args, begin, end);
                       });
}

// y of outputs [begin, end), at most a panel's, from `count` values at `at` on.
static HWY_NOINLINE void panelPart(const fl_linear_args& args,
                                   std::int64_t begin,
                                   std::int64_t end,
                                   std::int64_t at,
                                   float* panel) {
    const std::int64_t count = std::min(kPanelValues, args.in - at);
    const std::int64_t rowBytes = fl_row_bytes(args.weight_dtype, args.in);
    const Bytes weights = static_cast<Bytes>(args.weight) + fl_row_bytes(args.weight_dtype, at);
    for (std::int64_t output = begin; output < end; ++output) {
        widenRow(args.weight_dtype, weights + output * rowBytes, count,
                 panel + (output - begin) * kPanelStride);
    }
    const Rows<float> wide{panel, kPanelStride};
    for (std::int64_t row = 0; row < args.rows; row += 4) {
        const std::int64_t rows = std::min<std::int64_t>(4, args.rows - row);
        const Rows<float> x{args.x + row * args.in + at, args.in};
        float sums[4 * kPanelRows];
        dotAll<From::Cache>(x, rows, wide, end - begin, count, sums, kPanelRows);
        for (std::int64_t i = 0; i < rows; ++i) {
            float* y = args.y + (row + i) * args.out;
            for (std::int64_t output = begin; output < end; ++output) {
                const float sum = sums[i * kPanelRows + output - begin];
                y[output] = at == 0 ? sum : y[output] + sum;
            }
        }
    }
}

static void panelRows(const fl_linear_args& args, Parallel& parallel) {
    float* panels = parallel.scratch(Slot::Panels, parallel.threads() * kPanelFloats);
    const std::int64_t rowBytes = fl_row_bytes(args.weight_dtype, args.in);
    parallel.forRanges(args.out, takenRows(args, rowBytes, kPanelRows),
                       [&](std::int64_t begin, std::int64_t end, int thread) HWY_ATTR {
                           for (std::int64_t first = begin; first < end; first += kPanelRows) {
                               const std::int64_t last = std::min(first + kPanelRows, end);
                               for (std::int64_t at = 0; at < args.in; at += kPanelValues)
                                   panelPart(args, first, last, at, panels + thread * kPanelFloats);
                               addBias(args, first, last);
                           }
                       });
}

static void roundRows(const float* from, std::int64_t count, float* to) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        hn::StoreU(roundToBf16(load(from + i)), Floats(), to + i);
    for (; i < count; ++i)
        to[i] = roundOneToBf16(from[i]);
}

static void multiplyBlock(const fl_linear_args& args, Parallel& parallel) {
    if (args.rows > kStreamedRows || !isPlain(args.weight_dtype)) {
        panelRows(args, parallel);
    } else if (args.weight_dtype == FL_BF16) {
        streamRows<hwy::bfloat16_t>(args, parallel);
    } else if (args.weight_dtype == FL_F16) {
        streamRows<hwy::float16_t>(args, parallel);
    } else {
        streamRows<float>(args, parallel);
    }
}

static void multiply(const fl_linear_args& args, Parallel& parallel) {
    for (std::int64_t row = 0; row < args.rows; row += kBlockRows) {
        fl_linear_args block = args;
        block.rows = std::min(kBlockRows, args.rows - row);
        block.x = args.x + row * args.in;
        block.y = args.y + row * args.out;
        if (args.compute == FL_COMPUTE_BF16) {
            float* rounded = parallel.scratch(Slot::Rounded, block.rows * args.in);
            roundRows(block.x, block.rows * args.in, rounded);
            block.x = rounded;
        }
        multiplyBlock(block, parallel);
    }
}

static std::int64_t scratchFloats(const fl_linear_args& args, int threads) {
    const std::int64_t rows = std::min(kBlockRows, args.rows);
    const bool panels = rows > kStreamedRows || !isPlain(args.weight_dtype);
    return (panels ? threads * kPanelFloats : 0) +
           (args.compute == FL_COMPUTE_BF16 ? rows * args.in : 0);
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(multiply);
HWY_EXPORT(scratchFloats);

const char* linear(const fl_linear_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.in < 0 || args.out < 0)
        return "a negative size";
    if (!isWeightRow(args.weight_dtype, args.in))
        return "the weight type is unknown, or `in` is not whole blocks of it";
    if (args.bias != nullptr && !isPlain(args.bias_dtype))
        return "the bias is neither float32, float16 nor bfloat16";
    if (args.compute != FL_COMPUTE_F32 && args.compute != FL_COMPUTE_BF16)
        return "products are computed as f32 or bf16 only";
    HWY_DYNAMIC_DISPATCH(multiply)(args, parallel);
    return nullptr;
}

std::int64_t linearScratchBytes(const fl_linear_args& args, int threads) {
    return HWY_DYNAMIC_DISPATCH(scratchFloats)(args, threads) *
           static_cast<std::int64_t>(sizeof(float));
}

}  // namespace fl::kernels::cpu
#endif
