// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/ggml_type.h"

#include <algorithm>
#include <array>

namespace fl::checkpoint {

namespace {

constexpr std::array<GgmlType, 34> kTypes = {{
    {0, "F32", {1, 4}, DType::F32},
    {1, "F16", {1, 2}, DType::F16},
    {2, "Q4_0", {32, 18}, DType::Q4_0},
    {3, "Q4_1", {32, 20}, DType::Q4_1},
    {6, "Q5_0", {32, 22}, {}},
    {7, "Q5_1", {32, 24}, {}},
    {8, "Q8_0", {32, 34}, DType::Q8_0},
    {9, "Q8_1", {32, 36}, {}},
    {10, "Q2_K", {256, 84}, {}},
    {11, "Q3_K", {256, 110}, {}},
    {12, "Q4_K", {256, 144}, DType::Q4_K},
    {13, "Q5_K", {256, 176}, {}},
    {14, "Q6_K", {256, 210}, DType::Q6_K},
    {15, "Q8_K", {256, 292}, {}},
    {16, "IQ2_XXS", {256, 66}, {}},
    {17, "IQ2_XS", {256, 74}, {}},
    {18, "IQ3_XXS", {256, 98}, {}},
    {19, "IQ1_S", {256, 50}, {}},
    {20, "IQ4_NL", {32, 18}, {}},
    {21, "IQ3_S", {256, 110}, {}},
    {22, "IQ2_S", {256, 82}, {}},
    {23, "IQ4_XS", {256, 136}, {}},
    {24, "I8", {1, 1}, DType::I8},
    {25, "I16", {1, 2}, DType::I16},
    {26, "I32", {1, 4}, DType::I32},
    {27, "I64", {1, 8}, DType::I64},
    {28, "F64", {1, 8}, DType::F64},
    {29, "IQ1_M", {256, 56}, {}},
    {30, "BF16", {1, 2}, DType::BF16},
    {34, "TQ1_0", {256, 54}, {}},
    {35, "TQ2_0", {256, 66}, {}},
    {39, "MXFP4", {32, 17}, {}},
    {40, "NVFP4", {64, 36}, {}},
    {41, "Q1_0", {128, 18}, {}},
}};

}  // namespace

const GgmlType* ggmlType(std::uint32_t number) {
    const auto at = std::find_if(kTypes.begin(), kTypes.end(),
                                 [number](const GgmlType& type) { return type.number == number; });
    return at == kTypes.end() ? nullptr : &*at;
}

}  // namespace fl::checkpoint
