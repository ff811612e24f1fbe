// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/ggml_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fl::checkpoint {

namespace {

constexpr std::array<std::pair<std::uint32_t, DType>, 34> kTypes = {{
    {0, DType::F32},      {1, DType::F16},     {2, DType::Q4_0},     {3, DType::Q4_1},
    {6, DType::Q5_0},     {7, DType::Q5_1},    {8, DType::Q8_0},     {9, DType::Q8_1},
    {10, DType::Q2_K},    {11, DType::Q3_K},   {12, DType::Q4_K},    {13, DType::Q5_K},
    {14, DType::Q6_K},    {15, DType::Q8_K},   {16, DType::IQ2_XXS}, {17, DType::IQ2_XS},
    {18, DType::IQ3_XXS}, {19, DType::IQ1_S},  {20, DType::IQ4_NL},  {21, DType::IQ3_S},
    {22, DType::IQ2_S},   {23, DType::IQ4_XS}, {24, DType::I8},      {25, DType::I16},
    {26, DType::I32},     {27, DType::I64},    {28, DType::F64},     {29, DType::IQ1_M},
    {30, DType::BF16},    {34, DType::TQ1_0},  {35, DType::TQ2_0},   {39, DType::MXFP4},
    {40, DType::NVFP4},   {41, DType::Q1_0},
}};

}  // namespace

std::optional<DType> ggmlType(std::uint32_t number) {
    const auto at = std::find_if(kTypes.begin(), kTypes.end(),
                                 [number](const auto& each) { return each.first == number; });
    return at == kTypes.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace fl::checkpoint
