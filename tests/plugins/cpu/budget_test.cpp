// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/budget.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace fl::plugins::cpu {
namespace {

TEST(CpuBudget, IsReachedButNotPassed) {
    Budget budget(100);
    EXPECT_TRUE(budget.reserve(60, FL_MEMORY_WEIGHTS));
    EXPECT_FALSE(budget.reserve(41, FL_MEMORY_KV));
    EXPECT_TRUE(budget.reserve(40, FL_MEMORY_KV));
    EXPECT_FALSE(budget.reserve(1, FL_MEMORY_KV));
    EXPECT_TRUE(budget.reserve(0, FL_MEMORY_KV));
    EXPECT_EQ(budget.usage().by_category[FL_MEMORY_WEIGHTS], 60);
    EXPECT_EQ(budget.usage().by_category[FL_MEMORY_KV], 40);
}

TEST(CpuBudget, RefusesSizesThatWouldOverflow) {
    Budget budget(INT64_MAX);
    EXPECT_TRUE(budget.reserve(10, FL_MEMORY_WEIGHTS));
    EXPECT_FALSE(budget.reserve(INT64_MAX, FL_MEMORY_WEIGHTS));
}

TEST(CpuBudget, RemembersItsPeak) {
    Budget budget(100);
    EXPECT_TRUE(budget.reserve(80, FL_MEMORY_WEIGHTS));
    budget.release(80, FL_MEMORY_WEIGHTS);
    EXPECT_TRUE(budget.reserve(10, FL_MEMORY_WEIGHTS));
    EXPECT_EQ(budget.usage().peak_bytes, 80);
    EXPECT_EQ(budget.usage().used_bytes, 10);
}

TEST(CpuBudget, CountsWhatIsHeldAlreadyEvenBeyondTheLimit) {
    Budget budget(10);
    budget.add(25, FL_MEMORY_CONTEXT);
    EXPECT_EQ(budget.usage().used_bytes, 25);
    EXPECT_FALSE(budget.reserve(1, FL_MEMORY_KV));
}

TEST(CpuBudget, GivesOutNoByteTwice) {
    Budget budget(1000);
    std::atomic<int> granted{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i)
                granted += budget.reserve(1, FL_MEMORY_STAGING) ? 1 : 0;
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(granted, 1000);
    EXPECT_EQ(budget.usage().used_bytes, 1000);
}

}  // namespace
}  // namespace fl::plugins::cpu
