// SPDX-License-Identifier: Apache-2.0
// Hands records from one thread to one other without a lock: the engine thread must never wait for
// whoever watches it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace fl::telemetry {

// One thread pushes, one thread pops. A full ring refuses and counts: a lost sample is better than
// a late step.
template <class T>
class Ring {
public:
    // Holds at least `capacity` records.
    explicit Ring(std::size_t capacity)
        : slots_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)) {}

    bool push(const T& record) {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == slots_.size()) {
            dropped_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        slots_[head & (slots_.size() - 1)] = record;
        head_.store(head + 1, std::memory_order_release);
        return true;
    }

    bool pop(T& record) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire))
            return false;
        record = slots_[tail & (slots_.size() - 1)];
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

    // Records refused so far; from any thread.
    std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    std::size_t capacity() const { return slots_.size(); }

private:
    // Two lines of 64 bytes: the neighbour line is prefetched with each.
    static constexpr std::size_t kApart = 128;

    std::vector<T> slots_;
    alignas(kApart) std::atomic<std::size_t> head_{0};  // written by the pushing thread
    alignas(kApart) std::atomic<std::size_t> tail_{0};  // written by the popping thread
    alignas(kApart) std::atomic<std::int64_t> dropped_{0};
};

}  // namespace fl::telemetry
