// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/metric_registry.h"

#include <thread>

#include <gtest/gtest.h>

namespace fl::telemetry {
namespace {

TEST(PercentileWindow, GivesTheNearestRank) {
    PercentileWindow window(100);
    EXPECT_EQ(window.percentile(0.5), 0);
    for (int i = 100; i >= 1; --i)
        window.add(i);
    EXPECT_EQ(window.percentile(0.5), 50);
    EXPECT_EQ(window.percentile(0.99), 99);
    EXPECT_EQ(window.percentile(1), 100);
    EXPECT_EQ(window.percentile(0), 1);
}

TEST(PercentileWindow, ForgetsTheOldest) {
    PercentileWindow window(2);
    for (const double value : {1.0, 2.0, 3.0})
        window.add(value);
    EXPECT_EQ(window.count(), 2u);
    EXPECT_EQ(window.percentile(0), 2);
}

constexpr MetricSpec kRequests = {"requests", "requests", "how many"};
constexpr MetricSpec kPages = {"pages", "pages", "of the cache"};
constexpr MetricSpec kTtft = {"ttft", "s", "to the first token"};

TEST(MetricRegistry, KeepsOneMetricPerNameWithItsUnit) {
    MetricRegistry registry;
    registry.counter(kRequests).add();
    registry.counter(kRequests).add(2);
    registry.gauge(kPages).set(7);
    registry.window(kTtft).add(0.25);
    const std::vector<MetricValue> expected = {
        {"pages", "gauge", "pages", "of the cache", 7},
        {"requests", "counter", "requests", "how many", 3},
        {"ttft_count", "window", "values", "to the first token", 1},
        {"ttft_p50", "window", "s", "to the first token", 0.25},
        {"ttft_p90", "window", "s", "to the first token", 0.25},
        {"ttft_p99", "window", "s", "to the first token", 0.25}};
    EXPECT_EQ(registry.values(), expected);
}

TEST(MetricRegistry, CountsFromSeveralThreads) {
    MetricRegistry registry;
    const auto count = [&registry] {
        for (int i = 0; i < 10'000; ++i)
            registry.counter(kRequests).add();
    };
    std::thread other(count);
    count();
    other.join();
    EXPECT_EQ(registry.counter(kRequests).value(), 20'000);
}

}  // namespace
}  // namespace fl::telemetry
