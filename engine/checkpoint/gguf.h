// SPDX-License-Identifier: Apache-2.0
// The header of one GGUF file: key-value pairs and a table of tensors (ggml docs/gguf.md, versions
// 2 and 3, little-endian).
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

// Reads the header of `shard` (path and fileName set), fills in the rest of it and adds its tensors
// to the inventory as those of shard `index`, dimensions outermost first. Returns all pairs as an
// object by their full key: numbers, booleans, texts, arrays; unsigned integers beyond int64 become
// reals. Everything wrong goes to `findings`, which mean nothing once cancelled.
Json readGguf(Shard& shard,
              std::int32_t index,
              Inventory& inventory,
              FindingList& findings,
              const CancelToken& cancel = {});

// The pairs alone; null if they cannot be read.
Json readGgufPairs(const std::string& path);

}  // namespace fl::checkpoint
