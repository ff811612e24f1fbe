// SPDX-License-Identifier: Apache-2.0
#include "engine/load/allocate.h"

#include <array>

#include <fmt/core.h>

namespace fl::load {

constexpr std::array<const char*, plan::kCategoryCount> kNames = {
    "weights", "scales", "kv", "state", "activations", "communication", "context", "staging"};

Result<device::Buffer> allocate(device::Device& device,
                                std::int64_t bytes,
                                plan::Category category) {
    auto memory = device.allocate(bytes, static_cast<fl_memory_category>(category));
    if (!memory) {
        return Error{memory.error().code,
                     fmt::format("{}: {}", kNames[static_cast<std::size_t>(category)],
                                 memory.error().message)};
    }
    return memory;
}

}  // namespace fl::load
