// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_reader.h"

#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "engine/base/file_reader.h"
#include "engine/base/text.h"

namespace fl::checkpoint {

namespace {

float fromBf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// IEEE 754 binary16.
float fromF16(std::uint16_t bits) {
    const std::uint32_t exponent = (bits >> 10) & 31U;
    const std::uint32_t fraction = bits & 1023U;
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
    if (exponent == 0) {
        const float value = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

// Applies `convert` to every stored T.
template <class T, class Out, class Convert>
std::vector<Out> converted(const std::vector<std::byte>& bytes, Convert convert) {
    std::vector<Out> out(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < out.size(); ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        out[i] = convert(value);
    }
    return out;
}

template <class T, class Out>
std::vector<Out> cast(const std::vector<std::byte>& bytes) {
    return converted<T, Out>(bytes, [](T value) { return static_cast<Out>(value); });
}

Error unsupported(const TensorInfo& tensor, std::string_view wanted) {
    return {ErrorCode::Unsupported, fmt::format("tensor {} is {}, which cannot be read as {}",
                                                tensor.name, name(tensor.dtype), wanted)};
}

// Whole numbers of any width; false if the type is no whole number.
template <class Out>
bool castIntegers(DType dtype, const std::vector<std::byte>& bytes, std::vector<Out>& out) {
    switch (dtype) {
        case DType::I8:
            out = cast<std::int8_t, Out>(bytes);
            return true;
        case DType::U8:
        case DType::Bool:
            out = cast<std::uint8_t, Out>(bytes);
            return true;
        case DType::I16:
            out = cast<std::int16_t, Out>(bytes);
            return true;
        case DType::U16:
            out = cast<std::uint16_t, Out>(bytes);
            return true;
        case DType::I32:
            out = cast<std::int32_t, Out>(bytes);
            return true;
        case DType::U32:
            out = cast<std::uint32_t, Out>(bytes);
            return true;
        case DType::I64:
            out = cast<std::int64_t, Out>(bytes);
            return true;
        case DType::U64:
            out = cast<std::uint64_t, Out>(bytes);
            return true;
        default:
            return false;
    }
}

}  // namespace

Result<const TensorInfo*> findTensor(const Checkpoint& checkpoint, std::string_view name) {
    if (const TensorInfo* tensor = checkpoint.inventory.find(name))
        return tensor;
    std::vector<std::string> names;
    // Comparing with half a million names takes seconds; a few hundred are enough for a hint.
    constexpr std::size_t kCompared = 500;
    for (const TensorInfo& tensor : checkpoint.inventory.tensors()) {
        if (names.size() < kCompared)
            names.emplace_back(tensor.name);
    }
    return Error{ErrorCode::NotFound,
                 fmt::format("{} has no tensor {}{}", checkpoint.path, name, nearest(name, names))};
}

Result<std::vector<std::byte>> readBytes(const Checkpoint& checkpoint, const TensorInfo& tensor) {
    const Shard& shard = checkpoint.shards[static_cast<std::size_t>(tensor.shard)];
    FL_TRY(const FileReader file, FileReader::open(shard.path));
    // Before the buffer is made: a wrong header may claim any size.
    if (tensor.offset > file.bytes() || tensor.bytes > file.bytes() - tensor.offset) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("tensor {} lies behind the end of {}", tensor.name, shard.path)};
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes));
    FL_DO(file.read(tensor.offset, bytes));
    return bytes;
}

Result<std::vector<float>> readFloats(const Checkpoint& checkpoint, const TensorInfo& tensor) {
    FL_TRY(const std::vector<std::byte> bytes, readBytes(checkpoint, tensor));
    switch (tensor.dtype) {
        case DType::F32:
            return cast<float, float>(bytes);
        case DType::F64:
            return cast<double, float>(bytes);
        case DType::F16:
            return converted<std::uint16_t, float>(bytes, fromF16);
        case DType::BF16:
            return converted<std::uint16_t, float>(bytes, fromBf16);
        default:
            break;
    }
    std::vector<float> out;
    if (castIntegers(tensor.dtype, bytes, out))
        return out;
    return unsupported(tensor, "real numbers");
}

Result<std::vector<std::int64_t>> readIntegers(const Checkpoint& checkpoint,
                                               const TensorInfo& tensor) {
    FL_TRY(const std::vector<std::byte> bytes, readBytes(checkpoint, tensor));
    std::vector<std::int64_t> out;
    if (castIntegers(tensor.dtype, bytes, out))
        return out;
    return unsupported(tensor, "whole numbers");
}

}  // namespace fl::checkpoint
