// SPDX-License-Identifier: Apache-2.0
// A reference folder: cases.json and one file of arrays per case, as the command line's contract
// describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/protocol/chat_messages.h"

namespace fl::service {

// Rows of numbers.
struct Array {
    std::vector<float> values;
    std::int64_t rows = 0;
    std::int64_t width = 0;
};

// A float array of [rows, width] or [rows]; NotFound if there is none of that name.
Result<Array> readArray(const checkpoint::Checkpoint& file, std::string_view name);
// `count` rows of it from row `first` on, or those of them that there are.
Result<Array> readRows(const checkpoint::Checkpoint& file,
                       std::string_view name,
                       std::int64_t first,
                       std::int64_t count);

struct ReferenceCase {
    std::string name;
    std::string kind;  // ids, text, image
    bool hasPrompt = false;
    std::string prompt;
    std::vector<protocol::Message> messages;
    std::vector<int> inputIds;
    std::vector<int> greedy;
    std::vector<float> greedyMargin;
    std::vector<std::string> rungs;  // arrays to compare, in the order of the model
    std::shared_ptr<const checkpoint::Checkpoint> file;
};

// The cases named, or all. Unknown names and unreadable files are errors.
Result<std::vector<ReferenceCase>> readReference(const std::string& folder,
                                                 const std::vector<std::string>& names,
                                                 const CancelToken& cancel = {});

}  // namespace fl::service
