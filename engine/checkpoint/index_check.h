// SPDX-License-Identifier: Apache-2.0
// The index against what the headers say, and what that tells of shards that could not be read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"
#include "engine/checkpoint/index.h"
#include "engine/checkpoint/safetensors.h"

namespace fl::checkpoint {

struct IndexEvidence {
    const ShardIndex& index;
    // Shard i is file i of the index; the inventory is finished.
    const Checkpoint& checkpoint;
    const std::vector<ShardReading>& readings;  // one per shard
    // Weight files of the folder that the index does not name, with what they hold.
    const Checkpoint& beside;
};

// Returns the tensors of files that could not be read, which findings about those files name; views
// of the index.
std::vector<std::string_view> checkIndex(const IndexEvidence& evidence, FindingList& findings);

}  // namespace fl::checkpoint
