// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kernel_testing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/cpu/targets.h"
#include "kernels/ref/dequantise.h"
// After the choice of targets.
#include "hwy/highway.h"

namespace fl::kernels::test {

struct TypeFacts {
    fl_dtype type;
    const char* name;
    std::int64_t blockValues;
    double tolerance;
    std::vector<int> halfOffsets;  // where a block's float16 scales lie
};

static const TypeFacts& facts(fl_dtype type) {
    static const std::vector<TypeFacts> kFacts = {
        {FL_F32, "F32", 1, 2e-6, {}},         {FL_F16, "F16", 1, 2e-6, {}},
        {FL_BF16, "BF16", 1, 2e-6, {}},       {FL_Q4_0, "Q4_0", 32, 2e-6, {0}},
        {FL_Q4_1, "Q4_1", 32, 2e-6, {0, 2}},  {FL_Q8_0, "Q8_0", 32, 2e-6, {0}},
        {FL_Q4_K, "Q4_K", 256, 3e-6, {0, 2}}, {FL_Q6_K, "Q6_K", 256, 3e-6, {208}}};
    return *std::find_if(kFacts.begin(), kFacts.end(),
                         [&](const TypeFacts& fact) { return fact.type == type; });
}

const char* typeName(fl_dtype type) {
    return facts(type).name;
}

std::int64_t blockValues(fl_dtype type) {
    return facts(type).blockValues;
}

double tolerance(fl_dtype type) {
    return facts(type).tolerance;
}

std::vector<float> Random::floats(std::int64_t count, float spread) {
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values)
        value = normal(engine_);
    return values;
}

std::int32_t Random::integer(std::int32_t from, std::int32_t to) {
    return std::uniform_int_distribution<std::int32_t>(from, to)(engine_);
}

static void putHalf(std::uint8_t* to, std::uint16_t bits) {
    std::memcpy(to, &bits, sizeof bits);
}

std::vector<std::uint8_t> Random::weights(fl_dtype type,
                                          std::int64_t rows,
                                          std::int64_t width,
                                          std::int64_t offset) {
    const TypeFacts& fact = facts(type);
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(offset + rows * fl_row_bytes(type, width)));
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(integer(0, 255));
    const std::int64_t blockBytes = fl_row_bytes(type, fact.blockValues);
    const auto begin = static_cast<std::size_t>(offset);
    for (std::size_t at = begin; at < bytes.size(); at += static_cast<std::size_t>(blockBytes)) {
        const float value = floats(1).front();
        if (type == FL_F32) {
            std::memcpy(&bytes[at], &value, sizeof value);
        } else if (type == FL_BF16) {
            putHalf(&bytes[at], ref::bf16FromFloat(value));
        } else if (type == FL_F16) {
            putHalf(&bytes[at], ref::halfFromFloat(value));
        }
        for (const int place : fact.halfOffsets)
            putHalf(&bytes[at + static_cast<std::size_t>(place)], ref::halfFromFloat(value / 100));
    }
    return bytes;
}

void expectNear(const std::vector<float>& expected,
                const std::vector<float>& actual,
                double allowed,
                const std::string& what) {
    ASSERT_EQ(expected.size(), actual.size()) << what;
    double largest = 1e-30;
    for (const float value : expected)
        largest = std::max(largest, std::fabs(double{value}));
    double worst = -1;
    std::size_t place = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error = std::fabs(double{expected[i]} - double{actual[i]});
        if (!(error <= worst)) {
            worst = error;
            place = i;
        }
    }
    EXPECT_TRUE(worst <= allowed * largest)
        << what << ": error " << worst << " at " << place << " of " << expected.size()
        << ", expected " << (expected.empty() ? 0 : expected[place]) << ", found "
        << (actual.empty() ? 0 : actual[place]) << ", largest " << largest << ", allowed "
        << allowed;
}

void onEveryTarget(const std::function<void(cpu::Parallel& parallel)>& body) {
    cpu::Parallel parallel(2);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        SCOPED_TRACE(hwy::TargetName(target));
        hwy::SetSupportedTargetsForTest(target);
        body(parallel);
        hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace fl::kernels::test
