// SPDX-License-Identifier: Apache-2.0
#include "engine/load/allocate.h"

#include <fmt/core.h>

namespace fl::load {

Result<device::Buffer> allocate(device::Device& device,
                                std::int64_t bytes,
                                plan::Category category) {
    auto memory = device.allocate(bytes, static_cast<fl_memory_category>(category));
    if (!memory) {
        return Error{memory.error().code,
                     fmt::format("{}: {}", plan::name(category), memory.error().message)};
    }
    return memory;
}

}  // namespace fl::load
