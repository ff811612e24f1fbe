// SPDX-License-Identifier: Apache-2.0
// The threads of one CPU card and the scratch memory its kernels share.
//
// Threads persist between launches. A waiting thread spins for a few microseconds, then yields,
// then sleeps, so that cards which outnumber the cores do not take time from each other. A thread
// that wakes too late is not waited for: the caller does its share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace fl::kernels::cpu {

// Scratch memory by use, so that an operator built on another one does not overwrite it.
enum class Slot : std::uint8_t { Panels, Rounded, Gathered, Gate, Up, Out, Count };

// Cheap elements that are worth a second thread: below, waking it costs more than it does.
constexpr std::int64_t kTakeElements = 16 << 10;

// Padding keeps the words that threads contend for on cache lines of their own.
class Parallel {  // NOLINT(clang-analyzer-optin.performance.Padding)
public:
    // `threads` ≥ 1 including the caller. Throws std::system_error if one cannot be started.
    explicit Parallel(int threads);
    ~Parallel();
    Parallel(const Parallel&) = delete;
    Parallel& operator=(const Parallel&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    // Covers [0, items) by calls body(begin, end, thread), 0 ≤ thread < threads(), each of `grain`
    // items or, at the end or on one thread, what is left. Returns when all are done. One caller
    // at a time; body neither throws nor calls this.
    template <class Body>
    void forRanges(std::int64_t items, std::int64_t grain, const Body& body) {
        const Call call = [](const void* context, std::int64_t begin, std::int64_t end,
                             int thread) {
            (*static_cast<const Body*>(context))(begin, end, thread);
        };
        run(items, grain < 1 ? 1 : grain, call, &body);
    }

    // At least `count` floats for that use, aligned to 64 bytes, with the content of the last use;
    // kept until a larger one is asked for. Throws std::bad_alloc. Not to be called in a body.
    float* scratch(Slot slot, std::int64_t count);
    std::int64_t scratchBytes() const;

private:
    using Call = void (*)(const void* context, std::int64_t begin, std::int64_t end, int thread);
    struct Job {
        Call call = nullptr;
        const void* context = nullptr;
        std::int64_t items = 0;
        std::int64_t grain = 1;
    };
    struct Release {
        void operator()(float* memory) const;
    };
    struct Area {
        std::unique_ptr<float, Release> memory;
        std::int64_t count = 0;
    };

    void run(std::int64_t items, std::int64_t grain, Call call, const void* context);
    void serve(int thread);
    std::uint64_t awaitNewJob(std::uint64_t seen);
    bool enter(std::uint64_t epoch);
    void drain(int thread);

    // Epoch, whether the job still takes threads, and how many are in it: one word, so that no
    // thread enters a job that is being replaced.
    alignas(64) std::atomic<std::uint64_t> gate_{0};
    alignas(64) std::atomic<std::int64_t> next_{0};
    alignas(64) std::atomic<std::uint32_t> signal_{0};
    std::atomic<bool> stop_{false};
    Job job_;
    std::array<Area, static_cast<std::size_t>(Slot::Count)> areas_;
    std::vector<std::thread> workers_;
};

}  // namespace fl::kernels::cpu
