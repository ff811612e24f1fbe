// SPDX-License-Identifier: Apache-2.0
// Tokenizer files against themselves and against the model, without building a tokenizer: ids
// given twice or past the embedding, bytes and merges that lead nowhere, unknown parts, templates
// that cannot be run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"

namespace fl::tokenizer {

// What of the model a tokenizer must fit.
struct ModelIds {
    std::int64_t embeddingRows = 0;  // 0: not known
    Json eos;                        // eos_token_id of config.json: an id, a list, or null
};

// tokenizer.json, tokenizer_config.json, generation_config.json, special_tokens_map.json and chat
// templates of a folder; what is not there is not missed, but for a chat template.
std::vector<Finding> checkTokenizerFiles(const std::string& folder, const ModelIds& model);

// The parts of that. `settings` is tokenizer_config.json, or null.
std::vector<Finding> checkTokenizerJson(const Json& tokenizer, const ModelIds& model);
std::vector<Finding> checkTokenizerConfig(const Json& settings,
                                          const Json& tokenizer,
                                          const ModelIds& model);

// The keys tokenizer.* of a GGUF file.
std::vector<Finding> checkTokenizerGguf(const Json& metadata,
                                        const std::string& fileName,
                                        std::int64_t embeddingRows);

// A chat template: can be parsed, and rendered for one message within bounds.
std::vector<Finding> checkTemplate(std::string_view source,
                                   const std::string& fileName,
                                   const std::string& key);

}  // namespace fl::tokenizer
