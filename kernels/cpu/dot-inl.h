// SPDX-License-Identifier: Apache-2.0
// Dot products of a few float32 rows with a few stored rows at once; compiled once per
// instruction set.
#include <algorithm>

#include "kernels/cpu/widen-inl.h"

#include "hwy/cache_control.h"

#if defined(FIRSTLIGHT_KERNELS_CPU_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRSTLIGHT_KERNELS_CPU_DOT_INL_H
#undef FIRSTLIGHT_KERNELS_CPU_DOT_INL_H
#else
#define FIRSTLIGHT_KERNELS_CPU_DOT_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

// Rows that lie `stride` elements apart.
template <class T>
struct Rows {
    const T* first;
    std::int64_t stride;

    HWY_INLINE const T* operator[](std::int64_t row) const { return first + row * stride; }
    HWY_INLINE Rows from(std::int64_t row) const { return {first + row * stride, stride}; }
};

// Where the stored rows come from: a prefetch is wasted on what a cache holds already.
enum class From : std::uint8_t { Cache, Memory };

// Rows of small models are shorter than what the hardware prefetchers need to see a stream, so the
// same place in the next group of rows is fetched by hand; of long rows, what comes next. 576
// bfloat16 values per row: 0.9 of the read bandwidth, 0.83 without.
constexpr std::int64_t kPrefetchBytes = 12 << 10;

// sums[i * sumStride + j] = x[i] · w[j] over `count` values. All accumulators live in registers:
// sixteen for 4 × 4.
template <From kFrom, int kLeft, int kRight, class W>
HWY_INLINE void dotTile(Rows<float> x,
                        Rows<W> w,
                        std::int64_t count,
                        float* HWY_RESTRICT sums,
                        std::int64_t sumStride) {
    Vector total[kLeft][kRight];
#pragma GCC unroll 4
    for (int i = 0; i < kLeft; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < kRight; ++j)
            total[i][j] = hn::Zero(Floats());
    }
    [[maybe_unused]] const std::int64_t ahead =
        std::min(kRight * w.stride, kPrefetchBytes / static_cast<std::int64_t>(sizeof(W)));
    std::int64_t at = 0;
    for (; at + kLanes <= count; at += kLanes) {
        Vector left[kLeft];
#pragma GCC unroll 4
        for (int i = 0; i < kLeft; ++i)
            left[i] = load(x[i] + at);
#pragma GCC unroll 4
        for (int j = 0; j < kRight; ++j) {
            const Vector right = load(w[j] + at);
            if constexpr (kFrom == From::Memory) {
                hwy::Prefetch(w[j] + at + ahead);
            }
#pragma GCC unroll 4
            for (int i = 0; i < kLeft; ++i)
                total[i][j] = hn::MulAdd(left[i], right, total[i][j]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < kLeft; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < kRight; ++j) {
            float sum = hn::GetLane(hn::SumOfLanes(Floats(), total[i][j]));
            for (std::int64_t tail = at; tail < count; ++tail)
                sum += x[i][tail] * loadOne(w[j] + tail);
            sums[i * sumStride + j] = sum;
        }
    }
}

// Any number of left rows against kRight stored rows.
template <From kFrom, int kRight, class W>
HWY_INLINE void dotStrip(Rows<float> x,
                         std::int64_t rows,
                         Rows<W> w,
                         std::int64_t count,
                         float* HWY_RESTRICT sums,
                         std::int64_t sumStride) {
    std::int64_t row = 0;
    for (; row + 4 <= rows; row += 4)
        dotTile<kFrom, 4, kRight>(x.from(row), w, count, sums + row * sumStride, sumStride);
    if (row + 2 <= rows) {
        dotTile<kFrom, 2, kRight>(x.from(row), w, count, sums + row * sumStride, sumStride);
        row += 2;
    }
    if (row < rows)
        dotTile<kFrom, 1, kRight>(x.from(row), w, count, sums + row * sumStride, sumStride);
}

// sums[i * sumStride + j] = x[i] · w[j] for i < rows and j < stored.
template <From kFrom, class W>
HWY_INLINE void dotAll(Rows<float> x,
                       std::int64_t rows,
                       Rows<W> w,
                       std::int64_t stored,
                       std::int64_t count,
                       float* HWY_RESTRICT sums,
                       std::int64_t sumStride) {
    std::int64_t j = 0;
    for (; j + 4 <= stored; j += 4)
        dotStrip<kFrom, 4>(x, rows, w.from(j), count, sums + j, sumStride);
    for (; j < stored; ++j)
        dotStrip<kFrom, 1>(x, rows, w.from(j), count, sums + j, sumStride);
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
