// SPDX-License-Identifier: Apache-2.0
// Device memory for a named purpose.
#pragma once

#include <cstdint>

#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/plan/plan.h"

namespace fl::load {

// As Device::allocate; a refusal names the category as the ledger does: "kv: CPU card 3: 2 GiB
// asked, …".
Result<device::Buffer> allocate(device::Device& device,
                                std::int64_t bytes,
                                plan::Category category);

}  // namespace fl::load
