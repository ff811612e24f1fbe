// SPDX-License-Identifier: Apache-2.0
// Small safetensors and GGUF files from literals, right by default and wrong where asked. Written
// apart from the engine's own writer, so that a test does not judge a reader by its sibling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/shape.h"

namespace fl::test {

struct TinyTensor {
    std::string name;
    DType dtype = DType::F32;
    Shape shape;
    std::string data;  // raw little-endian bytes, as many as dtype and shape need
};

// `values` in row order, stored as F32, F16, BF16 or I64.
TinyTensor tinyTensor(std::string name, DType dtype, Shape shape, const std::vector<float>& values);
// Deterministic values in ±0.5 that depend on the name; any dtype, quantised blocks get small
// finite scales.
TinyTensor patternTensor(std::string name, DType dtype, Shape shape);

// A header text with its length before it and `data` behind it; `claimed` replaces the length.
std::string safetensorsFile(std::string_view header, std::string_view data);
std::string safetensorsFile(std::string_view header, std::string_view data, std::uint64_t claimed);
// The well-formed header text of these tensors laid out one after the other, padded to 8.
std::string safetensorsHeader(const std::vector<TinyTensor>& tensors);
std::string safetensorsBytes(const std::vector<TinyTensor>& tensors);

// Key-value pairs of a GGUF file, already encoded: type number and value.
struct GgufPair {
    std::string key;
    std::uint32_t type = 0;
    std::string value;
};
GgufPair ggufU16(std::string key, std::uint16_t value);
GgufPair ggufU32(std::string key, std::uint32_t value);
GgufPair ggufI32(std::string key, std::int32_t value);
GgufPair ggufU64(std::string key, std::uint64_t value);
GgufPair ggufF32(std::string key, float value);
GgufPair ggufBool(std::string key, bool value);
GgufPair ggufString(std::string key, std::string_view value);
GgufPair ggufStrings(std::string key, const std::vector<std::string>& values);
GgufPair ggufI32s(std::string key, const std::vector<std::int32_t>& values);
GgufPair ggufF32s(std::string key, const std::vector<float>& values);

struct TinyGguf {
    std::uint32_t version = 3;
    std::uint32_t alignment = 32;  // also written as general.alignment unless 32
    std::vector<GgufPair> pairs;
    std::vector<TinyTensor> tensors;
};
std::string ggufBytes(const TinyGguf& file);

// Writes one file into a folder; aborts the test program on failure. Returns the path.
std::string writeTo(const std::string& folder, std::string_view name, std::string_view content);

// A hub folder: config.json, the tensors spread over `shards` files in order, and an index if
// there is more than one.
void writeHubFolder(const std::string& folder,
                    const std::vector<TinyTensor>& tensors,
                    int shards,
                    std::string_view config = R"({"model_type": "llama"})");

}  // namespace fl::test
