// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_stats.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/tiny_checkpoint.h"

namespace fl::checkpoint {
namespace {

TensorStats statsOf(DType dtype, const std::string& bytes, std::size_t piece) {
    StatsCollector collector;
    collector.begin(dtype, Encoding::Plain, static_cast<std::int64_t>(bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += piece)
        collector.add(
            std::as_bytes(std::span(bytes)).subspan(at, std::min(piece, bytes.size() - at)));
    return collector.end();
}

std::string floats(DType dtype, const std::vector<float>& values) {
    return test::tinyTensor("x", dtype, {static_cast<std::int64_t>(values.size())}, values).data;
}

TEST(TensorStats, DescribeValues) {
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const TensorStats stats =
        statsOf(DType::F32, floats(DType::F32, {3, -4, 0, nan, infinity, -infinity, 0, 0}), 8);
    EXPECT_EQ(stats.values, 8);
    EXPECT_EQ(stats.nan, 1);
    EXPECT_EQ(stats.infinite, 2);
    EXPECT_EQ(stats.negativeInfinite, 1);
    EXPECT_EQ(stats.zero, 3);
    EXPECT_EQ(stats.negative, 2);
    EXPECT_EQ(stats.firstBad, 3);
    EXPECT_EQ(stats.min, -4);
    EXPECT_EQ(stats.max, 3);
    EXPECT_DOUBLE_EQ(stats.mean, -0.2);
    EXPECT_DOUBLE_EQ(stats.rms, std::sqrt(5.0));
    EXPECT_EQ(stats.trailingZeroBytes, 8);
}

// Large tensors are counted by pattern, small ones value by value: both must say the same.
TEST(TensorStats, AreTheSameForCountedAndSingleValues) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0.1F, 0.5F);
    std::vector<float> values(150'000);
    for (float& value : values)
        value = normal(random);
    for (const DType dtype : {DType::F16, DType::BF16}) {
        std::string bytes = floats(dtype, values);
        bytes[2 * 140'001] = dtype == DType::F16 ? '\x00' : '\x80';  // infinity
        bytes[2 * 140'001 + 1] = dtype == DType::F16 ? '\x7c' : '\x7f';
        const TensorStats counted = statsOf(dtype, bytes, 65'536);
        StatsCollector single;
        single.begin(dtype, Encoding::Plain, 2);
        single.add(std::as_bytes(std::span(bytes)));
        const TensorStats each = single.end();
        EXPECT_EQ(counted.values, 150'000);
        EXPECT_EQ(counted.infinite, 1);
        EXPECT_EQ(counted.firstBad, 140'001);
        EXPECT_EQ(each.firstBad, 140'001);
        EXPECT_EQ(counted.min, each.min);
        EXPECT_EQ(counted.max, each.max);
        EXPECT_NEAR(counted.mean, each.mean, 1e-12);
        EXPECT_NEAR(counted.rms, each.rms, 1e-12);
    }
}

TEST(TensorStats, HashesBytesHoweverTheyArrive) {
    std::string bytes(300'000, 'a');
    const auto hash = statsOf(DType::BF16, bytes, 4096).hash;
    EXPECT_EQ(statsOf(DType::BF16, bytes, 300'000).hash, hash);
    bytes[299'999] = 'b';
    EXPECT_NE(statsOf(DType::BF16, bytes, 4096).hash, hash);
}

TEST(TensorStats, CountTheZerosAtTheEnd) {
    std::string bytes(1000, '\1');
    bytes.resize(10'000, '\0');
    EXPECT_EQ(statsOf(DType::U8, bytes, 512).trailingZeroBytes, 9000);
    EXPECT_EQ(statsOf(DType::C64, bytes, 4096).trailingZeroBytes, 9000);
    EXPECT_EQ(statsOf(DType::C64, bytes, 4096).values, 0);
}

TEST(Histogram, CountsEveryFiniteValue) {
    const test::TempDir folder;
    test::writeHubFolder(folder.path(),
                         {test::tinyTensor("x", DType::F32, {2, 4}, {0, 1, 2, 3, 4, 4, 4, NAN}),
                          test::tinyTensor("same", DType::F32, {3}, {7, 7, 7})},
                         1);
    const Checkpoint checkpoint = *openCheckpoint(folder.path());
    const auto histogram = histogramOf(checkpoint, *checkpoint.inventory.find("x"), 4, {});
    ASSERT_TRUE(histogram) << histogram.error().message;
    EXPECT_EQ(histogram->counts, (std::vector<std::int64_t>{1, 1, 1, 4}));
    EXPECT_EQ(histogram->stats.nan, 1);
    const auto same = histogramOf(checkpoint, *checkpoint.inventory.find("same"), 2, {});
    EXPECT_EQ(same->counts, (std::vector<std::int64_t>{3, 0}));
    CancelSource source;
    source.cancel();
    EXPECT_EQ(
        histogramOf(checkpoint, *checkpoint.inventory.find("x"), 4, source.token()).error().code,
        ErrorCode::Cancelled);
}

}  // namespace
}  // namespace fl::checkpoint
