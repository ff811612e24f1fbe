// SPDX-License-Identifier: Apache-2.0
// The hub's index of a sharded checkpoint, model.safetensors.index.json: which file holds which
// tensor.
#pragma once

#include <cstdint>
#include <memory>
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
        std::string_view tensor;  // in `text` or `names`
        std::int32_t file = 0;    // into `files`
    };
    // An entry that names no file of the folder.
    struct Refused {
        std::string tensor;
        std::string given;    // as it stands there
        std::string problem;  // "path outside the folder"
    };
    std::string fileName;
    std::vector<std::string> files;  // sorted, relative to the folder, inside it
    std::vector<Entry> entries;      // sorted by tensor; may be empty
    std::vector<Refused> refused;    // the first thousand
    std::optional<std::int64_t> totalBytes;
    std::string mapKind = "absent";  // what weight_map is: "object", or what lies in its place
    std::unique_ptr<const std::string> text;
    NameArena names;
};

// Reads `folder`/`fileName`. Nothing, with a finding, if it is no JSON object. An index without
// usable entries comes back with `entries` empty and no finding for that: see addMapFault.
std::optional<ShardIndex> readIndex(const std::string& folder,
                                    const std::string& fileName,
                                    FindingList& findings,
                                    const CancelToken& cancel = {});

// index-weight-map for an index without entries; the headers hold `tensors` names.
void addMapFault(const ShardIndex& index, std::size_t tensors, FindingList& findings);

}  // namespace fl::checkpoint
