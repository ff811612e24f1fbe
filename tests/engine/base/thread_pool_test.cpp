// SPDX-License-Identifier: Apache-2.0
#include "engine/base/thread_pool.h"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fl {
namespace {

TEST(ThreadPool, RunsEveryIndexOnce) {
    ThreadPool pool(3);
    EXPECT_EQ(pool.threads(), 3);
    for (const std::int64_t count : {0, 1, 2, 1000}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
        pool.parallelFor(count, [&runs](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
        for (const auto& run : runs)
            EXPECT_EQ(run.load(), 1);
    }
}

TEST(ThreadPool, UsesItsThreadsTogether) {
    ThreadPool pool(2);
    // Each of the three waits for the others: they only meet if all run at the same time.
    std::latch meeting(3);
    pool.parallelFor(3, [&meeting](std::int64_t) { meeting.arrive_and_wait(); });
    EXPECT_TRUE(meeting.try_wait());
}

TEST(ThreadPool, FinishesWhatWasSubmitted) {
    std::atomic<int> done{0};
    {
        ThreadPool pool(2);
        for (int i = 0; i < 100; ++i)
            pool.submit([&done] { ++done; });
    }
    EXPECT_EQ(done.load(), 100);
}

TEST(ThreadPool, HasAtLeastOneThread) {
    ThreadPool pool(0);
    EXPECT_EQ(pool.threads(), 1);
    std::latch ran(1);
    pool.submit([&ran] { ran.count_down(); });
    ran.wait();
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
    ThreadPool pool(2);
    std::atomic<std::int64_t> sum{0};
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            for (int j = 0; j < 20; ++j)
                pool.parallelFor(50, [&sum](std::int64_t k) { sum += k; });
        });
    }
    callers.clear();  // joins
    EXPECT_EQ(sum.load(), 4 * 20 * (49 * 50 / 2));
}

}  // namespace
}  // namespace fl
