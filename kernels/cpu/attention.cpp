// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/dot-inl.h"

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

// What one thread needs for the query heads that share a kv head.
struct Work {
    float* scores;  // [group, page_tokens]
    float* sums;    // [group, head_dim]
    float* tops;    // [group] largest score so far
    float* totals;  // [group] sum of exponentials so far
};

static std::int64_t workFloats(const fl_attention_args& args) {
    const std::int64_t group = args.heads / args.kv_heads;
    return group * (args.page_tokens + args.head_dim + 2);
}

static Work workAt(const fl_attention_args& args, float* memory) {
    const std::int64_t group = args.heads / args.kv_heads;
    Work work{};
    work.scores = memory;
    work.sums = work.scores + group * args.page_tokens;
    work.tops = work.sums + group * args.head_dim;
    work.totals = work.tops + group;
    return work;
}

template <class T>
static T* slotOf(const fl_attention_args& args,
                 void* pages,
                 std::int64_t row,
                 std::int64_t position) {
    const std::int64_t page =
        args.page_tables[args.row_sequences[row] * args.table_stride + position / args.page_tokens];
    return reinterpret_cast<T*>(static_cast<std::uint8_t*>(pages) + page * args.page_bytes) +
           (position % args.page_tokens) * args.kv_heads * args.head_dim;
}

static void storeValues(const float* from, std::int64_t count, float* to) {
    std::copy(from, from + count, to);
}

static void storeValues(const float* from, std::int64_t count, hwy::bfloat16_t* to) {
    const hn::Rebind<std::uint16_t, Floats> halves;
    auto* bits = reinterpret_cast<std::uint16_t*>(to);
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const auto rounded = hn::BitCast(Words(), roundToBf16(load(from + i)));
        const auto high = hn::BitCast(Integers(), hn::ShiftRight<16>(rounded));
        hn::StoreU(hn::DemoteTo(halves, high), halves, bits + i);
    }
    for (; i < count; ++i) {
        const float rounded = roundOneToBf16(from[i]);
        std::memcpy(bits + i, reinterpret_cast<const std::uint8_t*>(&rounded) + 2, 2);
    }
}

template <class T>
static void storeRow(const fl_attention_args& args, std::int64_t row) {
    const std::int64_t width = std::int64_t{args.kv_heads} * args.head_dim;
    const std::int64_t position = args.row_positions[row];
    storeValues(args.k + row * width, width, slotOf<T>(args, args.k_pages, row, position));
    storeValues(args.v + row * width, width, slotOf<T>(args, args.v_pages, row, position));
}

// Turns scores into exponentials against the largest score so far, and scales what was summed
// before to the same.
static void takeScores(const fl_attention_args& args,
                       std::int64_t head,
                       std::int64_t count,
                       const Work& work) {
    const Floats d;
    float* scores = work.scores + head * args.page_tokens;
    float top = work.tops[head];
    for (std::int64_t i = 0; i < count; ++i) {
        scores[i] *= args.scale;
        top = std::max(top, scores[i]);
    }
    const float shrink = std::exp(work.tops[head] - top);
    float total = work.totals[head] * shrink;
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const auto power = hn::Exp(d, hn::Sub(load(scores + i), hn::Set(d, top)));
        hn::StoreU(power, d, scores + i);
        total += hn::GetLane(hn::SumOfLanes(d, power));
    }
    for (; i < count; ++i) {
        scores[i] = std::exp(scores[i] - top);
        total += scores[i];
    }
    work.tops[head] = top;
    work.totals[head] = total;
    if (shrink == 1.0F)
        return;
    float* sums = work.sums + head * args.head_dim;
    for (std::int64_t at = 0; at < args.head_dim; ++at)
        sums[at] *= shrink;
}

// Adds the values of one page, weighted, for kHeads query heads.
template <int kHeads, class T>
static void addValues(const fl_attention_args& args,
                      Rows<T> values,
                      std::int64_t head,
                      std::int64_t count,
                      const Work& work) {
    const float* scores = work.scores + head * args.page_tokens;
    float* sums = work.sums + head * args.head_dim;
    std::int64_t at = 0;
    for (; at + kLanes <= args.head_dim; at += kLanes) {
        Vector total[kHeads];
#pragma GCC unroll 4
        for (int i = 0; i < kHeads; ++i)
            total[i] = load(sums + i * args.head_dim + at);
        for (std::int64_t token = 0; token < count; ++token) {
            const Vector value = load(values[token] + at);
#pragma GCC unroll 4
            for (int i = 0; i < kHeads; ++i) {
                const auto score = hn::Set(Floats(), scores[i * args.page_tokens + token]);
                total[i] = hn::MulAdd(score, value, total[i]);
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < kHeads; ++i)
            hn::StoreU(total[i], Floats(), sums + i * args.head_dim + at);
    }
    for (; at < args.head_dim; ++at) {
        for (int i = 0; i < kHeads; ++i) {
            for (std::int64_t token = 0; token < count; ++token)
                sums[i * args.head_dim + at] +=
                    scores[i * args.page_tokens + token] * loadOne(values[token] + at);
        }
    }
}

template <class T>
static void attendPage(const fl_attention_args& args,
                       std::int64_t row,
                       std::int64_t kvHead,
                       std::int64_t position,
                       const Work& work) {
    const std::int64_t group = args.heads / args.kv_heads;
    const std::int64_t stride = std::int64_t{args.kv_heads} * args.head_dim;
    const std::int64_t count =
        std::min<std::int64_t>(args.page_tokens, args.row_positions[row] + 1 - position);
    const Rows<float> q{args.q + (row * args.heads + kvHead * group) * args.head_dim,
                        args.head_dim};
    const Rows<T> k{slotOf<T>(args, args.k_pages, row, position) + kvHead * args.head_dim, stride};
    const Rows<T> v{slotOf<T>(args, args.v_pages, row, position) + kvHead * args.head_dim, stride};
    dotAll<From::Cache>(q, group, k, count, args.head_dim, work.scores, args.page_tokens);
    for (std::int64_t head = 0; head < group; ++head)
        takeScores(args, head, count, work);
    std::int64_t head = 0;
    for (; head + 4 <= group; head += 4)
        addValues<4>(args, v, head, count, work);
    for (; head < group; ++head)
        addValues<1>(args, v, head, count, work);
}

// All query heads of one row that share a kv head.
template <class T>
static void attendHeads(const fl_attention_args& args,
                        std::int64_t row,
                        std::int64_t kvHead,
                        float* memory) {
    const std::int64_t group = args.heads / args.kv_heads;
    const Work work = workAt(args, memory);
    std::fill(work.sums, work.sums + group * args.head_dim, 0.0F);
    std::fill(work.tops, work.tops + group, -std::numeric_limits<float>::infinity());
    std::fill(work.totals, work.totals + group, 0.0F);
    for (std::int64_t position = 0; position <= args.row_positions[row];
         position += args.page_tokens)
        attendPage<T>(args, row, kvHead, position, work);
    float* y = args.y + (row * args.heads + kvHead * group) * args.head_dim;
    for (std::int64_t head = 0; head < group; ++head) {
        const float factor = 1.0F / work.totals[head];
        for (std::int64_t at = head * args.head_dim; at < (head + 1) * args.head_dim; ++at)
            y[at] = work.sums[at] * factor;
    }
}

template <class T>
static void attend(const fl_attention_args& args, Parallel& parallel) {
    const std::int64_t floats = workFloats(args);
    float* memory = parallel.scratch(Slot::Panels, parallel.threads() * floats);
    const std::int64_t width = std::int64_t{args.kv_heads} * args.head_dim;
    parallel.forRanges(args.rows, kTakeElements / std::max<std::int64_t>(width, 1),
                       [&](std::int64_t begin, std::int64_t end, int /*thread*/) HWY_ATTR {
                           for (std::int64_t row = begin; row < end; ++row)
                               storeRow<T>(args, row);
                       });
    // Rows near the end of a long sequence cost most: threads take one head of one row at a time.
    parallel.forRanges(args.rows * args.kv_heads, 1,
                       [&](std::int64_t begin, std::int64_t end, int thread) HWY_ATTR {
                           for (std::int64_t item = begin; item < end; ++item) {
                               attendHeads<T>(args, item / args.kv_heads, item % args.kv_heads,
                                              memory + thread * floats);
                           }
                       });
}

static void attendAll(const fl_attention_args& args, Parallel& parallel) {
    if (args.kv_dtype == FL_F32) {
        attend<float>(args, parallel);
    } else {
        attend<hwy::bfloat16_t>(args, parallel);
    }
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(attendAll);
HWY_EXPORT(workFloats);

const char* attention(const fl_attention_args& args, Parallel& parallel) {
    if (args.rows < 0 || args.head_dim < 0)
        return "a negative size";
    if (args.kv_heads < 1 || args.heads < args.kv_heads || args.heads % args.kv_heads != 0)
        return "`kv_heads` does not divide `heads`";
    if (args.page_tokens < 1)
        return "pages without tokens";
    if (args.kv_dtype != FL_F32 && args.kv_dtype != FL_BF16)
        return "the cache is neither float32 nor bfloat16";
    HWY_DYNAMIC_DISPATCH(attendAll)(args, parallel);
    return nullptr;
}

std::int64_t attentionScratchBytes(const fl_attention_args& args, int threads) {
    if (args.kv_heads < 1)
        return 0;
    return HWY_DYNAMIC_DISPATCH(workFloats)(args) * threads *
           static_cast<std::int64_t>(sizeof(float));
}

}  // namespace fl::kernels::cpu
#endif
