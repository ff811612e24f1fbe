// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/machine_probe.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/machine_probe.cpp"  // NOLINT: compiles this file per target
#include "hwy/foreach_target.h"
// Above all else that uses vectors.
#include "kernels/cpu/widen-inl.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fl::kernels::cpu::HWY_NAMESPACE {

// The sum keeps the reads from being dropped.
static float readAll(const float* from, std::int64_t count) {
    const Floats d;
    auto a = hn::Zero(d);
    auto b = hn::Zero(d);
    auto c = hn::Zero(d);
    auto e = hn::Zero(d);
    for (std::int64_t i = 0; i + 4 * kLanes <= count; i += 4 * kLanes) {
        a = hn::Add(a, load(from + i));
        b = hn::Add(b, load(from + i + kLanes));
        c = hn::Add(c, load(from + i + 2 * kLanes));
        e = hn::Add(e, load(from + i + 3 * kLanes));
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

// Independent multiply-adds: twelve chains hide a latency of four on two units with room to
// spare, and fit sixteen registers.
constexpr int kChains = 12;

static float multiplyAdd(std::int64_t rounds) {
    const Floats d;
    const auto factor = hn::Set(d, 0.999F);
    Vector chains[kChains];
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i)
        chains[i] = hn::Set(d, static_cast<float>(i));
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
        for (int i = 0; i < kChains; ++i)
            chains[i] = hn::MulAdd(chains[i], factor, factor);
    }
    auto sum = hn::Zero(d);
    for (int i = 0; i < kChains; ++i)
        sum = hn::Add(sum, chains[i]);
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

static double flopsPerRound() {
    return 2.0 * kChains * static_cast<double>(kLanes);
}

}  // namespace fl::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fl::kernels::cpu {

HWY_EXPORT(readAll);
HWY_EXPORT(multiplyAdd);
HWY_EXPORT(flopsPerRound);

constexpr std::int64_t kTakenFloats = std::int64_t{64} << 10;
constexpr std::int64_t kRounds = 2'000'000;

template <class Body>
static double bestSeconds(int passes, const Body& body) {
    double best = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < passes; ++pass) {
        const auto start = std::chrono::steady_clock::now();
        body();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        best = std::min(best, passed.count());
    }
    return best;
}

double readBytesPerSecond(const void* data, std::int64_t bytes, Parallel& parallel) {
    const auto read = HWY_DYNAMIC_DISPATCH(readAll);
    const auto* floats = static_cast<const float*>(data);
    std::atomic<float> sink{0};
    const double seconds = bestSeconds(1, [&] {
        parallel.forRanges(bytes / static_cast<std::int64_t>(sizeof(float)), kTakenFloats,
                           [&](std::int64_t begin, std::int64_t end, int) {
                               sink.store(read(floats + begin, end - begin),
                                          std::memory_order_relaxed);
                           });
    });
    return static_cast<double>(bytes) / seconds;
}

static double bestReadRate(const void* data, const ProbeOptions& options, Parallel& parallel) {
    double best = 0;
    for (int pass = 0; pass < options.passes; ++pass)
        best = std::max(best, readBytesPerSecond(data, options.bytes, parallel));
    return best;
}

static double flopRate(int passes, Parallel& parallel) {
    const auto compute = HWY_DYNAMIC_DISPATCH(multiplyAdd);
    std::atomic<float> sink{0};
    const int threads = parallel.threads();
    // Many shares per thread, so that a thread that starts late is made up for.
    constexpr int kShares = 16;
    const double seconds = bestSeconds(passes, [&] {
        const std::int64_t shares = std::int64_t{threads} * kShares;
        parallel.forRanges(shares, 1, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t rounds = (end - begin) * (kRounds / kShares);
            sink.store(compute(rounds), std::memory_order_relaxed);
        });
    });
    return HWY_DYNAMIC_DISPATCH(flopsPerRound)() * static_cast<double>(kRounds) * threads / seconds;
}

MachineFigures probeMachine(const ProbeOptions& options) {
    const std::int64_t count = options.bytes / static_cast<std::int64_t>(sizeof(float));
    Parallel alone(1);
    Parallel all(options.threads);
    float* data = all.scratch(Slot::Panels, count);
    // Written by the threads that will read: pages lie where they are first touched.
    all.forRanges(count, kTakenFloats, [&](std::int64_t begin, std::int64_t end, int) {
        std::fill(data + begin, data + end, 1.0F);
    });
    MachineFigures figures;
    figures.instructionSet = hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
    figures.threads = options.threads;
    figures.readBytesPerSecondOneThread = bestReadRate(data, options, alone);
    figures.readBytesPerSecond = bestReadRate(data, options, all);
    figures.flopsOneThread = flopRate(options.passes, alone);
    figures.flops = flopRate(options.passes, all);
    return figures;
}

}  // namespace fl::kernels::cpu
#endif
