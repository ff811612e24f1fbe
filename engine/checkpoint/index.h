// SPDX-License-Identifier: Apache-2.0
// The hub's index of a sharded checkpoint, model.safetensors.index.json: which file holds which
// tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"
#include "engine/checkpoint/name_arena.h"

namespace fl::checkpoint {

struct ShardIndex {
    struct Entry {
        std::string_view tensor;  // in `names`
        std::int32_t file = 0;    // into `files`
    };
    std::string fileName;
    std::vector<std::string> files;  // sorted, relative to the folder, inside it
    std::vector<Entry> entries;
    std::optional<std::int64_t> totalBytes;
    NameArena names;
};

// Reads `folder`/`fileName`. Nothing, with a finding, if it is no usable index; entries that name
// no file of the folder are left out, with a finding. Stops between tensors once `cancel` is.
std::optional<ShardIndex> readIndex(const std::string& folder,
                                    const std::string& fileName,
                                    FindingList& findings,
                                    const CancelToken& cancel = {});

// Holds the index against what the headers say. Shard i of `checkpoint` is file i of the index, and
// its inventory is finished. `rejected`, sorted, are tensors that are there but have a finding of
// their own.
void checkIndex(const ShardIndex& index,
                const Checkpoint& checkpoint,
                const std::vector<std::string>& rejected,
                FindingList& findings);

}  // namespace fl::checkpoint
