// SPDX-License-Identifier: Apache-2.0
// Operators that only look at one row at a time.
// Covers: kernels/cpu/add.cpp kernels/cpu/silu_mul.cpp kernels/cpu/embedding.cpp
// Covers: kernels/cpu/gather_rows.cpp kernels/cpu/rms_norm.cpp kernels/cpu/rope.cpp
#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/cpu/add.h"
#include "kernels/cpu/embedding.h"
#include "kernels/cpu/gather_rows.h"
#include "kernels/cpu/rms_norm.h"
#include "kernels/cpu/rope.h"
#include "kernels/cpu/silu_mul.h"
#include "kernels/ref/add.h"
#include "kernels/ref/embedding.h"
#include "kernels/ref/gather_rows.h"
#include "kernels/ref/rms_norm.h"
#include "kernels/ref/rope.h"
#include "kernels/ref/silu_mul.h"
#include "tests/kernels/kernel_testing.h"

namespace fl::kernels {
namespace {

constexpr double kRounding = 3e-7;  // a few steps of float32

std::vector<float> empty(std::int64_t count) {
    return std::vector<float>(static_cast<std::size_t>(count), -7.0F);
}

TEST(CpuAdd, MatchesTheReferenceForEveryTailAndInPlace) {
    for (std::int64_t width = 1; width <= 70; ++width) {
        test::Random random(static_cast<std::uint32_t>(width));
        const auto a = random.floats(3 * width + 1);
        const auto b = random.floats(3 * width);
        auto expected = empty(3 * width);
        // One float past the start: not aligned to a vector.
        ref::add({sizeof(fl_add_args), 3, width, a.data() + 1, b.data(), expected.data()});
        test::onEveryTarget([&](cpu::Parallel& parallel) {
            auto actual = a;
            float* y = actual.data() + 1;
            cpu::add({sizeof(fl_add_args), 3, width, y, b.data(), y}, parallel);
            actual.erase(actual.begin());
            test::expectNear(expected, actual, 0, "add " + std::to_string(width));
        });
    }
}

TEST(CpuAdd, SharesALargeSumBetweenThreads) {
    test::Random random(1);
    const auto a = random.floats(100 * 1009);
    auto expected = empty(100 * 1009);
    ref::add({sizeof(fl_add_args), 100, 1009, a.data(), a.data(), expected.data()});
    test::onEveryTarget([&](cpu::Parallel& parallel) {
        auto actual = empty(100 * 1009);
        cpu::add({sizeof(fl_add_args), 100, 1009, a.data(), a.data(), actual.data()}, parallel);
        test::expectNear(expected, actual, 0, "large add");
    });
}

TEST(CpuSiluMul, MatchesTheReferenceForEveryTailAndFarFromZero) {
    for (std::int64_t width = 1; width <= 70; ++width) {
        test::Random random(static_cast<std::uint32_t>(width));
        auto gate = random.floats(2 * width, 8);
        gate[0] = width % 2 == 0 ? 200.0F : -200.0F;
        const auto up = random.floats(2 * width);
        auto expected = empty(2 * width);
        ref::siluMul({sizeof(fl_silu_mul_args), 2, width, gate.data(), up.data(), expected.data()});
        test::onEveryTarget([&](cpu::Parallel& parallel) {
            auto actual = gate;
            cpu::siluMul(
                {sizeof(fl_silu_mul_args), 2, width, actual.data(), up.data(), actual.data()},
                parallel);
            test::expectNear(expected, actual, 1e-6, "silu_mul " + std::to_string(width));
        });
    }
}

TEST(CpuEmbedding, WidensEveryTypeAndZeroesForeignRows) {
    const std::vector<std::int32_t> ids = {10, 9, 13, 14, 11, -1};
    for (const fl_dtype type : test::kWeightTypes) {
        for (std::int64_t blocks = 1; blocks <= (test::blockValues(type) == 1 ? 70 : 3); ++blocks) {
            const std::int64_t width = blocks * test::blockValues(type);
            const std::int64_t offset = fl_row_bytes(type, test::blockValues(type));
            test::Random random(static_cast<std::uint32_t>(width));
            const auto table = random.weights(type, 4, width, offset);
            auto expected = empty(6 * width);
            fl_embedding_args args{sizeof args, 6, width, ids.data(),     table.data() + offset,
                                   type,        4, 10,    expected.data()};
            ref::embedding(args);
            test::onEveryTarget([&](cpu::Parallel& parallel) {
                auto actual = empty(6 * width);
                args.y = actual.data();
                ASSERT_EQ(cpu::embedding(args, parallel), nullptr);
                test::expectNear(expected, actual, kRounding, test::typeName(type));
                EXPECT_EQ(actual[static_cast<std::size_t>(width)], 0.0F) << "id 9 is not here";
            });
        }
    }
}

TEST(CpuEmbedding, RefusesRowsThatAreNotWholeBlocks) {
    cpu::Parallel parallel(1);
    const fl_embedding_args args{sizeof args, 0, 33, nullptr, nullptr, FL_Q8_0, 4, 0, nullptr};
    EXPECT_STREQ(cpu::embedding(args, parallel),
                 "the table's type is unknown, or `width` is not whole blocks of it");
}

TEST(CpuGatherRows, PicksRowsInAnyOrder) {
    const std::vector<std::int32_t> indices = {4, 0, 4};
    const auto x = test::Random(1).floats(5 * 33);
    auto expected = empty(3 * 33);
    fl_gather_rows_args args{sizeof args, 3, 33, x.data(), indices.data(), expected.data()};
    ref::gatherRows(args);
    cpu::Parallel parallel(2);
    auto actual = empty(3 * 33);
    args.y = actual.data();
    ASSERT_EQ(cpu::gatherRows(args, parallel), nullptr);
    EXPECT_EQ(expected, actual);
}

TEST(CpuRmsNorm, MatchesTheReferenceForEveryTailTypeAndInPlace) {
    for (const fl_dtype type : test::kPlainTypes) {
        for (std::int64_t width = 1; width <= 70; ++width) {
            test::Random random(static_cast<std::uint32_t>(width));
            const auto x = random.floats(6 * width, 5);
            const auto weight = random.weights(type, 1, width);
            auto expected = empty(6 * width);
            fl_rms_norm_args args{sizeof args,   2,    3,     width,          x.data(),
                                  weight.data(), type, 1e-5F, expected.data()};
            ref::rmsNorm(args);
            test::onEveryTarget([&](cpu::Parallel& parallel) {
                auto actual = x;
                args.x = actual.data();
                args.y = actual.data();
                ASSERT_EQ(cpu::rmsNorm(args, parallel), nullptr);
                args.x = x.data();
                test::expectNear(expected, actual, kRounding * 2, test::typeName(type));
            });
        }
    }
}

struct RopeCase {
    std::int32_t headDim;
    std::int32_t rotary;
    std::int32_t interleaved;
};

TEST(CpuRope, MatchesTheReferenceForEveryTailAndBothPairings) {
    std::vector<RopeCase> cases;
    for (std::int32_t rotary = 2; rotary <= 70; rotary += 2) {
        cases.push_back({rotary, rotary, 0});
        cases.push_back({rotary + 5, rotary, 1});
    }
    for (const RopeCase& item : cases) {
        test::Random random(static_cast<std::uint32_t>(item.headDim));
        const std::vector<std::int32_t> positions = {0, 7, 131'071};
        auto frequencies = random.floats(item.rotary / 2);
        const auto x = random.floats(3 * 2 * item.headDim);
        auto expected = x;
        fl_rope_args args{sizeof args,
                          3,
                          2,
                          item.headDim,
                          item.rotary,
                          item.interleaved,
                          1.2F,
                          positions.data(),
                          frequencies.data(),
                          expected.data()};
        ref::rope(args);
        test::onEveryTarget([&](cpu::Parallel& parallel) {
            auto actual = x;
            args.x = actual.data();
            ASSERT_EQ(cpu::rope(args, parallel), nullptr);
            test::expectNear(expected, actual, kRounding, "rope " + std::to_string(item.rotary));
        });
    }
}

TEST(CpuRope, RefusesMoreRotaryValuesThanAHeadHas) {
    cpu::Parallel parallel(1);
    fl_rope_args args{};
    args.head_dim = 8;
    args.rotary = 10;
    EXPECT_STREQ(cpu::rope(args, parallel), "`rotary` is odd or more than `head_dim`");
}

}  // namespace
}  // namespace fl::kernels
