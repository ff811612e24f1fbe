// SPDX-License-Identifier: Apache-2.0
// A GGUF model in several files, name-00001-of-00003.gguf (llama.cpp, llama_split_path).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/finding_list.h"

namespace fl::checkpoint {

struct SplitName {
    std::string prefix;
    int number = 0;  // from 1
    int count = 0;
};

// Nothing if the name is not that of a part.
std::optional<SplitName> parseSplitName(std::string_view fileName);
// "<prefix>-00002-of-00003.gguf"
std::string splitFileName(const SplitName& part);

// Reads a model from its files: one, or all parts in order. Fills shards, inventory (unfinished)
// and metadata; the first file's metadata is the model's, the others' keys are held against it.
void readGgufFiles(Checkpoint& checkpoint,
                   const std::vector<std::string>& fileNames,
                   FindingList& findings,
                   const CancelToken& cancel = {});

}  // namespace fl::checkpoint
