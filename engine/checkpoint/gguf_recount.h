// SPDX-License-Identifier: Apache-2.0
// How many key-value pairs and tensors a GGUF file really has, from its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fl::checkpoint {

struct GgufCounts {
    std::uint64_t tensors = 0;
    std::uint64_t pairs = 0;
    bool operator==(const GgufCounts& other) const = default;
};

// The counts for which table and data fill the file exactly, where they differ from the claimed
// ones in one number; nothing if the claimed ones fit, or none do.
std::optional<GgufCounts> recountGguf(std::span<const std::byte> bytes, const GgufCounts& claimed);

}  // namespace fl::checkpoint
