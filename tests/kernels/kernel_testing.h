// SPDX-License-Identifier: Apache-2.0
// Random inputs, and comparison with the reference on every instruction set.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/api/dtype.h"
#include "kernels/cpu/parallel.h"

namespace fl::kernels::test {

constexpr fl_dtype kWeightTypes[] = {FL_F32,  FL_F16,  FL_BF16, FL_Q4_0,
                                     FL_Q4_1, FL_Q8_0, FL_Q4_K, FL_Q6_K};
constexpr fl_dtype kPlainTypes[] = {FL_F32, FL_F16, FL_BF16};

const char* typeName(fl_dtype type);
// Values that one block of the type holds.
std::int64_t blockValues(fl_dtype type);

// Largest error allowed of a sum of products with weights of this type, relative to the largest
// value compared. Weights of every type are widened exactly, so that what remains is float32
// accumulation, and for the K types the order in which their scales are multiplied.
double tolerance(fl_dtype type);

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::vector<float> floats(std::int64_t count, float spread = 1.0F);
    std::int32_t integer(std::int32_t from, std::int32_t to);  // both included
    // Rows of stored weights of magnitude about one, valid for the type, after `offset` bytes of
    // something else.
    std::vector<std::uint8_t> weights(fl_dtype type,
                                      std::int64_t rows,
                                      std::int64_t width,
                                      std::int64_t offset = 0);

private:
    std::mt19937 engine_;
};

// Fails, saying where and by how much, if any value differs by more than `allowed` times the
// largest expected magnitude. NaN differs from everything.
void expectNear(const std::vector<float>& expected,
                const std::vector<float>& actual,
                double allowed,
                const std::string& what);

// Calls the body once per instruction set that this processor has and the kernels were compiled
// for, with two threads.
void onEveryTarget(const std::function<void(cpu::Parallel& parallel)>& body);

}  // namespace fl::kernels::test
