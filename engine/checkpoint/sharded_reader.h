// SPDX-License-Identifier: Apache-2.0
// All safetensors files of a checkpoint, with an index or without one, several at a time.
#pragma once

#include "engine/base/cancel_token.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"
#include "engine/checkpoint/folder.h"

namespace fl::checkpoint {

// Fills in shards and inventory of `checkpoint`, whose folder is set. When cancelled, what was read
// so far is incomplete and not to be judged.
void readIndexed(Checkpoint& checkpoint,
                 const FolderFiles& files,
                 FindingList& findings,
                 const CancelToken& cancel);
void readUnindexed(Checkpoint& checkpoint,
                   const FolderFiles& files,
                   FindingList& findings,
                   const CancelToken& cancel);

// Sorts the inventory; names in two files become tensor-duplicate.
void finishInventory(Checkpoint& checkpoint, FindingList& findings, ThreadPool* pool);

}  // namespace fl::checkpoint
