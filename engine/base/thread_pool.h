// SPDX-License-Identifier: Apache-2.0
// A fixed set of threads for independent pieces of host work (reading, hashing, converting).
// Kernels do not run here: a device brings its own threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace fl {

class ThreadPool {
public:
    // `threads` ≥ 1 workers. The destructor finishes what was submitted.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const;
    void submit(std::function<void()> task);
    // Runs body(0 … count−1) on the workers and the calling thread; returns when all are done.
    // Not to be called from a task of the same pool.
    void parallelFor(std::int64_t count, const std::function<void(std::int64_t)>& body);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fl
