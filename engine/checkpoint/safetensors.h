// SPDX-License-Identifier: Apache-2.0
// The header of one .safetensors file: eight bytes of length, a JSON object, tensor data
// (safetensors README, "Format"; the limits are those of its reference reader).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

// A larger claim means that the file is truncated or no safetensors file at all.
constexpr std::int64_t kMaxHeaderBytes = 100'000'000;

// Reads the header of `shard` (path and fileName set), fills in the rest of it and adds its tensors
// to the inventory as those of shard `index`. Everything wrong goes to `findings`; tensors whose
// own description holds together are added even if the file is too short for them. Returns the
// names of those that were not. Stops between tensors once `cancel` is; findings mean nothing then.
std::vector<std::string> readSafetensors(Shard& shard,
                                         std::int32_t index,
                                         Inventory& inventory,
                                         FindingList& findings,
                                         const CancelToken& cancel = {});

}  // namespace fl::checkpoint
