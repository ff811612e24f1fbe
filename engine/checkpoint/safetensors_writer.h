// SPDX-License-Identifier: Apache-2.0
// Writes arrays to a .safetensors file: captures of a validation, dumps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/shape.h"

namespace fl::checkpoint {

struct NamedArray {
    std::string name;
    Shape shape;
    std::variant<std::vector<float>, std::vector<std::int64_t>> values;  // F32 or I64, in row order
};

// What such a file holds; `name` is that of the file, for errors, which are those of
// writeSafetensors().
Result<std::string> safetensorsText(const std::string& name, std::span<const NamedArray> arrays);

// Replaces the file at once when all is written. InvalidArgument if a shape does not hold its
// values or a name appears twice.
Status writeSafetensors(const std::string& path, std::span<const NamedArray> arrays);

}  // namespace fl::checkpoint
