// SPDX-License-Identifier: Apache-2.0
// Tokenizer files against themselves and against the model, without building a tokenizer: ids
// given twice or past the embedding, bytes and merges that lead nowhere, unknown parts, templates
// that cannot be run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/tokenizer/chat_template.h"

namespace fl::tokenizer {

// What of the model a tokenizer must fit.
struct ModelIds {
    std::int64_t embeddingRows = 0;  // 0: not known
    // bos_token_id and so on of config.json: an id, a list, or null
    Json bos = {};
    Json eos = {};
    Json pad = {};
};

// What tokenizer files say that config.json says too.
struct SaidByTokenizer {
    struct Token {
        std::string text;
        std::int64_t id = 0;
    };
    std::map<std::string, Token> tokens;  // by key of config.json: "eos_token_id"
    std::optional<std::int64_t> longest;  // model_max_length where it is a length
};

struct TokenizerFiles {
    std::vector<Finding> findings;
    SaidByTokenizer said;
};

// tokenizer.json, tokenizer_config.json, generation_config.json, special_tokens_map.json and chat
// templates of a folder; what is not there is not missed, but for a chat template.
TokenizerFiles checkTokenizerFiles(const std::string& folder, const ModelIds& model);

// The parts of that. `settings` is tokenizer_config.json, or null.
std::vector<Finding> checkTokenizerJson(const Json& tokenizer, const ModelIds& model);
std::vector<Finding> checkTokenizerConfig(const Json& settings,
                                          const Json& tokenizer,
                                          const ModelIds& model);

// The keys tokenizer.* of a GGUF file.
std::vector<Finding> checkTokenizerGguf(const Json& metadata,
                                        const std::string& fileName,
                                        std::int64_t embeddingRows);

// What a template may take for one short message, which makes a few hundred bytes: one that needs
// more has no end.
TemplateLimits templateCheckLimits();

// A chat template: can be parsed, and rendered for one message within bounds.
std::vector<Finding> checkTemplate(std::string_view source,
                                   const std::string& fileName,
                                   const std::string& key);

}  // namespace fl::tokenizer
