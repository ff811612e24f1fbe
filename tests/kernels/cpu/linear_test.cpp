// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/linear.h"

#include <gtest/gtest.h>

#include "kernels/ref/linear.h"
#include "tests/kernels/kernel_testing.h"

namespace fl::kernels {
namespace {

struct Case {
    std::int64_t rows;
    std::int64_t in;
    std::int64_t out;
    fl_dtype type = FL_BF16;
    fl_compute compute = FL_COMPUTE_F32;
    bool bias = false;
    fl_dtype biasType = FL_F32;
    std::int64_t offset = 0;  // bytes in front of the weights
};

// More products add more rounding errors, by their square root.
double allowed(const Case& item) {
    return test::tolerance(item.type) * (item.in > 1000 ? 4 : 1);
}

void check(const Case& item) {
    test::Random random(static_cast<std::uint32_t>(item.rows * 7919 + item.in * 31 + item.out));
    const auto x = random.floats(item.rows * item.in);
    const auto weight = random.weights(item.type, item.out, item.in, item.offset);
    const auto bias = random.weights(item.biasType, 1, item.out);
    std::vector<float> expected(static_cast<std::size_t>(item.rows * item.out));
    fl_linear_args args{sizeof args,    item.rows,
                        item.in,        item.out,
                        x.data(),       weight.data() + item.offset,
                        item.type,      item.bias ? bias.data() : nullptr,
                        item.biasType,  item.compute,
                        expected.data()};
    ref::linear(args);
    test::onEveryTarget([&](cpu::Parallel& parallel) {
        std::vector<float> actual(expected.size(), -7.0F);
        args.y = actual.data();
        ASSERT_EQ(cpu::linear(args, parallel), nullptr);
        test::expectNear(expected, actual, allowed(item),
                         std::string(test::typeName(item.type)) + " " + std::to_string(item.rows) +
                             "×" + std::to_string(item.in) + "×" + std::to_string(item.out));
    });
}

TEST(CpuLinear, MatchesTheReferenceForEveryTailLengthOfPlainTypes) {
    for (const fl_dtype type : test::kPlainTypes) {
        for (std::int64_t in = 1; in <= 70; ++in)
            check({1 + in % 9, in, 1 + in % 7, type});
    }
}

TEST(CpuLinear, MatchesTheReferenceForEveryTypeAndNumberOfBlocks) {
    for (const fl_dtype type : test::kWeightTypes) {
        for (std::int64_t blocks = 1; blocks <= 6; ++blocks)
            check({3, blocks * test::blockValues(type), 13, type});
    }
}

TEST(CpuLinear, MatchesTheReferenceForEveryNumberOfRowsAndOutputs) {
    for (const fl_dtype type : {FL_BF16, FL_Q4_1}) {
        for (std::int64_t rows = 1; rows <= 13; ++rows)
            check({rows, 64, 1 + rows % 11, type});
        for (std::int64_t out = 1; out <= 20; ++out)
            check({2, 96, out, type});
    }
}

TEST(CpuLinear, MatchesTheReferenceBeyondOneBlockOfRowsAndOnePanel) {
    check({131, 40, 9, FL_BF16});
    check({9, 2085, 11, FL_F16});
    check({2, 2560, 11, FL_Q4_K});
    check({1, 2304, 11, FL_Q6_K});
}

TEST(CpuLinear, MatchesTheReferenceWithRoundedActivations) {
    for (const fl_dtype type : test::kWeightTypes) {
        check({1, 512, 12, type, FL_COMPUTE_BF16});
        check({10, 256, 12, type, FL_COMPUTE_BF16});
    }
    check({1, 37, 5, FL_BF16, FL_COMPUTE_BF16});
}

TEST(CpuLinear, AddsABiasOfEveryType) {
    for (const fl_dtype type : test::kPlainTypes) {
        check({2, 48, 21, FL_BF16, FL_COMPUTE_F32, true, type});
        check({11, 48, 21, FL_BF16, FL_COMPUTE_F32, true, type});
    }
}

TEST(CpuLinear, ReadsWeightsAtAnyAddress) {
    for (const fl_dtype type : {FL_Q4_0, FL_Q4_1, FL_Q8_0, FL_Q4_K, FL_Q6_K})
        check({2, 256, 6, type, FL_COMPUTE_F32, false, FL_F32, 1});
    check({2, 33, 6, FL_BF16, FL_COMPUTE_F32, false, FL_F32, 2});
    check({2, 33, 6, FL_F32, FL_COMPUTE_F32, false, FL_F32, 4});
}

TEST(CpuLinear, DoesNothingForEmptySizes) {
    check({0, 32, 4});
    check({3, 32, 0});
}

TEST(CpuLinear, RefusesArgumentsThatCannotBeRight) {
    cpu::Parallel parallel(1);
    float value = 0;
    fl_linear_args args{sizeof args,    1,     33, 1, &value, &value, FL_Q4_1, nullptr, FL_F32,
                        FL_COMPUTE_F32, &value};
    EXPECT_STREQ(cpu::linear(args, parallel),
                 "the weight type is unknown, or `in` is not whole blocks of it");
    args.in = 1;
    args.weight_dtype = FL_F32;
    args.compute = FL_COMPUTE_INT8;
    EXPECT_STREQ(cpu::linear(args, parallel), "products are computed as f32 or bf16 only");
    args.compute = FL_COMPUTE_F32;
    args.rows = -1;
    EXPECT_STREQ(cpu::linear(args, parallel), "a negative size");
}

TEST(CpuLinear, TellsItsScratchMemoryBeforehand) {
    for (const fl_dtype type : {FL_BF16, FL_Q4_1}) {
        for (const std::int64_t rows : {1, 40, 300}) {
            cpu::Parallel parallel(2);
            test::Random random(1);
            const auto x = random.floats(rows * 64);
            const auto weight = random.weights(type, 8, 64);
            std::vector<float> y(static_cast<std::size_t>(rows * 8));
            const fl_linear_args args{sizeof args,   rows, 64,      8,      x.data(),
                                      weight.data(), type, nullptr, FL_F32, FL_COMPUTE_BF16,
                                      y.data()};
            ASSERT_EQ(cpu::linear(args, parallel), nullptr);
            EXPECT_EQ(cpu::linearScratchBytes(args, 2), parallel.scratchBytes());
        }
    }
}

}  // namespace
}  // namespace fl::kernels
