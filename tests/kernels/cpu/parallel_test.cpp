// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/parallel.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace fl::kernels::cpu {
namespace {

TEST(Parallel, CoversEveryItemOnceWhateverTheGrain) {
    for (const int threads : {1, 2, 5}) {
        Parallel parallel(threads);
        for (std::int64_t items = 0; items < 70; ++items) {
            std::vector<std::atomic<int>> seen(static_cast<std::size_t>(items));
            parallel.forRanges(items, 1 + items % 9,
                               [&](std::int64_t begin, std::int64_t end, int thread) {
                                   EXPECT_TRUE(thread >= 0 && thread < threads);
                                   for (std::int64_t item = begin; item < end; ++item)
                                       ++seen[static_cast<std::size_t>(item)];
                               });
            for (const auto& count : seen)
                EXPECT_EQ(count, 1);
        }
    }
}

TEST(Parallel, GivesEachThreadItsOwnNumber) {
    Parallel parallel(4);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::atomic<int>> inside(4);
        parallel.forRanges(64, 1, [&](std::int64_t, std::int64_t, int thread) {
            auto& mine = inside[static_cast<std::size_t>(thread)];
            EXPECT_EQ(mine.fetch_add(1), 0) << "two threads have number " << thread;
            mine.fetch_sub(1);
        });
    }
}

TEST(Parallel, SeesWhatTheCallerWroteBefore) {
    Parallel parallel(3);
    std::vector<std::int64_t> data(1000);
    for (std::int64_t round = 1; round < 500; ++round) {
        data.assign(data.size(), round);
        std::atomic<std::int64_t> sum{0};
        parallel.forRanges(1000, 10, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                sum += data[static_cast<std::size_t>(i)];
        });
        ASSERT_EQ(sum, 1000 * round);
    }
}

// How many threads of this process are asleep in the kernel.
int sleepingThreads() {
    int sleeping = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "stat");
        std::string text;
        std::getline(file, text);
        const std::size_t name = text.rfind(')');
        sleeping += name != std::string::npos && text.substr(name, 3) == ") S" ? 1 : 0;
    }
    return sleeping;
}

// Cards that outnumber the cores must not take time from each other.
TEST(Parallel, SleepsWhileThereIsNothingToDo) {
    Parallel parallel(8);
    parallel.forRanges(64, 1, [](std::int64_t, std::int64_t, int) {});
    while (sleepingThreads() < 7)  // the test's time limit ends a failure
        std::this_thread::yield();
    std::atomic<int> done{0};
    parallel.forRanges(64, 1, [&](std::int64_t, std::int64_t, int) { ++done; });
    EXPECT_EQ(done, 64);
}

TEST(Parallel, KeepsScratchUntilMoreIsAsked) {
    Parallel parallel(1);
    float* first = parallel.scratch(Slot::Gate, 100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    EXPECT_EQ(parallel.scratch(Slot::Gate, 50), first);
    EXPECT_NE(parallel.scratch(Slot::Up, 50), first);
    EXPECT_EQ(parallel.scratchBytes(), 600);
    parallel.scratch(Slot::Gate, 1000);
    EXPECT_EQ(parallel.scratchBytes(), 4200);
}

}  // namespace
}  // namespace fl::kernels::cpu
