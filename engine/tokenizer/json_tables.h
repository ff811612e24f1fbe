// SPDX-License-Identifier: Apache-2.0
// A tokenizer.json in two halves: the small rest as a tree, the large tables as text that is gone
// through entry by entry, so that half a million merges cost no tree.
#pragma once

#include <functional>
#include <string_view>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer {

struct JsonTables {
    Json rest;  // without model.vocab and model.merges
    std::string_view vocab;
    std::string_view merges;
};

// `text` outlives the result.
Result<JsonTables> readJsonTables(std::string_view text, const CancelToken& cancel);

// {"the": 5, …}
Status eachToken(std::string_view vocab,
                 const CancelToken& cancel,
                 const std::function<Status(std::string_view spelling, std::int64_t id)>& sink);
// [["the", -3.5], …]
Status eachScored(std::string_view vocab,
                  const CancelToken& cancel,
                  const std::function<Status(std::string_view piece, double score)>& sink);
// ["t he", …] or [["t", "he"], …]; what is neither comes with empty sides. `written` is the text.
Status eachMerge(
    std::string_view merges,
    const CancelToken& cancel,
    const std::function<
        Status(std::string_view left, std::string_view right, std::string_view written)>& sink);

}  // namespace fl::tokenizer
