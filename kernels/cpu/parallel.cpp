// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/parallel.h"

#include <algorithm>
#include <chrono>
#include <new>

#include <sched.h>

namespace fl::kernels::cpu {

constexpr std::uint64_t kActive = 0xffff;
constexpr std::uint64_t kOpen = 0x10000;
constexpr int kEpochShift = 17;

// About two microseconds on current x86 cores, where a pause takes 40 to 140 cycles.
constexpr int kSpins = 40;
// Bridges the small operators between two products; a sleeping thread costs its waker a system
// call and wakes tens of microseconds later.
constexpr std::chrono::microseconds kYieldTime{200};

constexpr std::size_t kAlignment = 64;

static void pauseCore() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void Parallel::Release::operator()(float* memory) const {
    ::operator delete (memory, std::align_val_t{kAlignment});
}

Parallel::Parallel(int threads) {
    for (int thread = 1; thread < threads; ++thread)
        workers_.emplace_back([this, thread] { serve(thread); });
}

Parallel::~Parallel() {
    stop_.store(true);
    signal_.fetch_add(1);
    signal_.notify_all();
    for (std::thread& worker : workers_)
        worker.join();
}

float* Parallel::scratch(Slot slot, std::int64_t count) {
    Area& area = areas_[static_cast<std::size_t>(slot)];
    if (count > area.count) {
        area.memory.reset();
        area.count = 0;
        const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
        area.memory.reset(
            static_cast<float*>(::operator new (bytes, std::align_val_t{kAlignment})));
        area.count = count;
    }
    return area.memory.get();
}

std::int64_t Parallel::scratchBytes() const {
    std::int64_t bytes = 0;
    for (const Area& area : areas_)
        bytes += area.count * static_cast<std::int64_t>(sizeof(float));
    return bytes;
}

void Parallel::run(std::int64_t items, std::int64_t grain, Call call, const void* context) {
    if (items <= 0)
        return;
    if (workers_.empty() || items <= grain) {
        call(context, 0, items, 0);
        return;
    }
    job_ = {call, context, items, grain};
    next_.store(0, std::memory_order_relaxed);
    const std::uint64_t epoch = (gate_.load(std::memory_order_relaxed) >> kEpochShift) + 1;
    gate_.store((epoch << kEpochShift) | kOpen, std::memory_order_release);
    signal_.fetch_add(1);
    signal_.notify_all();
    drain(0);
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (int spins = 0; (gate_.load(std::memory_order_acquire) & kActive) != 0; ++spins) {
        if (spins < kSpins) {
            pauseCore();
        } else {
            sched_yield();
        }
    }
}

void Parallel::drain(int thread) {
    const Job job = job_;
    while (true) {
        const std::int64_t begin = next_.fetch_add(job.grain, std::memory_order_relaxed);
        if (begin >= job.items)
            return;
        job.call(job.context, begin, std::min(begin + job.grain, job.items), thread);
    }
}

bool Parallel::enter(std::uint64_t epoch) {
    std::uint64_t gate = gate_.load(std::memory_order_acquire);
    while ((gate >> kEpochShift) == epoch && (gate & kOpen) != 0) {
        if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel))
            return true;
    }
    return false;
}

// Returns the epoch of a job newer than `seen`, or `seen` when the threads are to stop.
std::uint64_t Parallel::awaitNewJob(std::uint64_t seen) {
    const auto newest = [this] { return gate_.load(std::memory_order_acquire) >> kEpochShift; };
    while (true) {
        const std::uint32_t signal = signal_.load();
        for (int spins = 0; spins < kSpins; ++spins, pauseCore()) {
            if (newest() != seen || stop_.load())
                return newest();
        }
        const auto end = std::chrono::steady_clock::now() + kYieldTime;
        while (std::chrono::steady_clock::now() < end) {
            sched_yield();
            if (newest() != seen || stop_.load())
                return newest();
        }
        signal_.wait(signal);
    }
}

void Parallel::serve(int thread) {
    std::uint64_t seen = 0;
    while (true) {
        seen = awaitNewJob(seen);
        if (stop_.load())
            return;
        if (enter(seen)) {
            drain(thread);
            gate_.fetch_sub(1, std::memory_order_acq_rel);
        }
    }
}

}  // namespace fl::kernels::cpu
