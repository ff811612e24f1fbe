// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/ring.h"

#include <thread>

#include <gtest/gtest.h>

#include "engine/telemetry/records.h"

namespace fl::telemetry {
namespace {

TEST(Ring, GivesRecordsInOrderAndRefusesWhenFull) {
    Ring<int> ring(3);
    EXPECT_EQ(ring.capacity(), 4u);
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(9));
    EXPECT_EQ(ring.dropped(), 1);
    for (int i = 0; i < 4; ++i) {
        int value = -1;
        ASSERT_TRUE(ring.pop(value));
        EXPECT_EQ(value, i);
    }
    int none = 0;
    EXPECT_FALSE(ring.pop(none));
    EXPECT_TRUE(ring.push(5));
}

TEST(Ring, CarriesWholeRecordsBetweenThreads) {
    constexpr int kCount = 100'000;
    Ring<StepRecord> ring(64);
    std::thread producer([&ring] {
        for (int i = 0; i < kCount;) {
            StepRecord record;
            record.prefillTokens = i;
            record.pages = -std::int64_t{i};
            if (ring.push(record))
                ++i;
            else
                std::this_thread::yield();
        }
    });
    int torn = 0;
    for (int expected = 0; expected < kCount;) {
        StepRecord record;
        if (!ring.pop(record)) {
            std::this_thread::yield();
            continue;
        }
        torn += record.prefillTokens != expected || record.pages != -std::int64_t{expected};
        ++expected;
    }
    producer.join();
    EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace fl::telemetry
