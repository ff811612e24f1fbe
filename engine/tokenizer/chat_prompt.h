// SPDX-License-Identifier: Apache-2.0
// Messages to the text that a model is prompted with: what surrounds the chat template, as
// apply_chat_template of transformers 5 has it.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::tokenizer {

struct ChatOptions {
    bool addGenerationPrompt = true;
    // The last message goes on: the prompt ends where its content ends.
    bool continueFinalMessage = false;
    Json tools;      // null: none
    Json documents;  // null: none
    // Further variables of the template, such as enable_thinking; null or an object.
    Json variables;
    // Local time "YYYY-MM-DDTHH:MM:SS" for strftime_now; "": now.
    std::string clock;
    TemplateLimits limits;
};

// A folder's template ("": none) and the special tokens it is given, by tokenizer_config.json.
struct FolderTemplate {
    std::string source;
    Json specialTokens = Json::object();
};
Result<FolderTemplate> readFolderTemplate(const std::string& folder);

// InvalidArgument where they are no list of objects with a role each, or none at all.
Status checkMessages(const Json& messages);

// The prompt for `messages`, an array of objects with a role each, by the tokenizer's own template,
// with its bos_token and eos_token. A model without a template is an error: a guessed one would
// answer badly without a sign. Errors of the template name line and column.
Result<std::string> renderChat(const Tokenizer& tokenizer,
                               const Json& messages,
                               const ChatOptions& options = {});

// The same by a given template and special tokens (an object).
Result<std::string> renderChat(std::string_view chatTemplate,
                               const Json& specialTokens,
                               const Json& messages,
                               const ChatOptions& options = {});

}  // namespace fl::tokenizer
