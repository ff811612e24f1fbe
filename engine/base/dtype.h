// SPDX-License-Identifier: Apache-2.0
// Element types of checkpoints and activations, with the block each packs its values in.
//
// Block layouts: safetensors README (format section) for plain types, ggml-common.h of the ggml
// project for the Q* block formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fl {

// The numeric values equal fl_dtype in kernels/api/dtype.h; device/dtype_map_test holds the two
// lists to each other. Append only.
enum class DType : std::uint8_t {
    F32 = 0,
    F16 = 1,
    BF16 = 2,
    F64 = 3,
    I8 = 4,
    U8 = 5,
    I16 = 6,
    U16 = 7,
    I32 = 8,
    U32 = 9,
    I64 = 10,
    U64 = 11,
    Bool = 12,
    F8E4M3 = 13,
    F8E5M2 = 14,
    F8E8M0 = 15,
    Q4_0 = 16,
    Q4_1 = 17,
    Q8_0 = 18,
    Q4_K = 19,
    Q6_K = 20,
    F4 = 21,  // e2m1, two in a byte
    F6E2M3 = 22,
    F6E3M2 = 23,
    C64 = 24,  // two float32
    // Further blocks of ggml.
    Q5_0 = 25,
    Q5_1 = 26,
    Q8_1 = 27,
    Q2_K = 28,
    Q3_K = 29,
    Q5_K = 30,
    Q8_K = 31,
    IQ2_XXS = 32,
    IQ2_XS = 33,
    IQ3_XXS = 34,
    IQ1_S = 35,
    IQ4_NL = 36,
    IQ3_S = 37,
    IQ2_S = 38,
    IQ4_XS = 39,
    IQ1_M = 40,
    TQ1_0 = 41,
    TQ2_0 = 42,
    MXFP4 = 43,
    NVFP4 = 44,
    Q1_0 = 45,
};
constexpr int kDTypeCount = 46;

// `values` elements are stored together in `bytes` bytes, along the innermost dimension.
struct BlockLayout {
    std::int32_t values = 1;
    std::int32_t bytes = 0;
};

BlockLayout blockLayout(DType type);
std::string_view name(DType type);  // "BF16", "Q4_1": the checkpoint's own spelling
std::optional<DType> dtypeFromName(std::string_view name);
bool isQuantised(DType type);  // GGUF's blocks: values that share a scale inside the block
bool isFloat(DType type);      // holds real numbers: plain float types and quantised blocks

// Bytes of `count` values along one innermost row; nothing if `count` is not whole blocks or the
// product overflows.
std::optional<std::int64_t> rowBytes(DType type, std::int64_t count);

}  // namespace fl
