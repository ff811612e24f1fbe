// SPDX-License-Identifier: Apache-2.0
// Turns stored bytes of a tensor into numbers, whatever type they have. Scales that lie in other
// tensors are not applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/checkpoint/checkpoint.h"

namespace fl::checkpoint {

// How stored elements hold values.
enum class Encoding : std::uint8_t {
    Plain,      // as the dtype says
    Int4Pairs,  // whole numbers −8 … 7 kept as 0 … 15, two in a byte, low half first
    Fp4Pairs,   // e2m1 (OCP Microscaling Formats, §5.3.3), two in a byte, low half first
    E8m0,       // powers of two (same, §5.4.1), in U8
};

// By dtype, name and what lies beside the tensor: *_packed, *_blocks, fp4 in I8 with a scale.
Encoding encodingOf(const Inventory& inventory, const TensorInfo& tensor);

// False for types whose values are not known here (C64, F6, and of ggml's blocks those with tables
// of codes: IQ1, IQ2, IQ3, TQ1_0, Q1_0, and Q8_1 and Q8_K, which no file has): of these only the
// bytes can be looked at.
bool decodable(DType dtype, Encoding encoding);

// Bytes that belong together: chunks are cut only between such units.
std::int64_t unitBytes(DType dtype);

// Value of one 16-bit pattern; dtype is F16 or BF16.
float fromPattern16(DType dtype, std::uint16_t bits);
// Value of one 8-bit pattern of a type of 8 bits.
float fromPattern8(DType dtype, Encoding encoding, std::uint8_t bits);

// Appends the values of `bytes`, a whole number of units. Precondition: decodable.
void decode(DType dtype,
            Encoding encoding,
            std::span<const std::byte> bytes,
            std::vector<float>& out);

}  // namespace fl::checkpoint
