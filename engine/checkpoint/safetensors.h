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

// What is known of a shard besides its tensors.
struct ShardReading {
    // Names that the header describes and the inventory does not have, because of findings.
    std::vector<std::string> rejected;
    // Of these, what is no name at all, as messages show it: at most five.
    std::vector<std::string> badNames;
    // Where the header would end, if the file ends before that; no finding yet, because an index
    // may tell how long the file should be. 0: it does not.
    std::int64_t cutHeaderEnd = 0;
};

// Reads the header of `shard` (path and fileName set) without touching the data, fills in the rest
// of it and adds its tensors, sorted, to an empty `inventory` as those of shard `index`. Everything
// wrong goes to `findings`; tensors whose own description holds together are added even if the file
// is too short for them. May run for several shards at once, each with its own inventory and list.
ShardReading readSafetensors(Shard& shard,
                             std::int32_t index,
                             Inventory& inventory,
                             FindingList& findings,
                             const CancelToken& cancel = {});

// shard-truncated for a file that ends inside its header. `dataBytes` is what an index leaves for
// its tensors, 0 if none says so.
void addCutHeader(FindingList& findings,
                  const Shard& shard,
                  std::int64_t headerEnd,
                  std::int64_t dataBytes);

}  // namespace fl::checkpoint
