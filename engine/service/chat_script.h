// SPDX-License-Identifier: Apache-2.0
// Prompts of models that ship no template: a Lua module beside the recipe writes them, in the
// sandbox of recipes.
#pragma once

#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/protocol/chat_messages.h"

namespace fl::service {

// A prompt is encoded part by part: only in control parts is a control token read as one.
struct PromptPart {
    std::string text;
    bool control = false;
};

struct ScriptInput {
    Json messages;  // an array of objects
    Json tools;     // null, or an array
    Json options;   // null, or an object
    bool generate = true;
};

// What a script says of itself.
struct ScriptFacts {
    std::string reply;  // the format in which answers come
    std::vector<protocol::TemplateOption> options;
};

// `module` is one of resources/lua/firstlight: "firstlight.chat_kimi_three". Errors name file and
// line; InvalidArgument for what the script refuses, Timeout and OutOfMemory for spent budgets.
Result<ScriptFacts> scriptFacts(const std::string& resources, const std::string& module);
Result<std::vector<PromptPart>> runChatScript(const std::string& resources,
                                              const std::string& module,
                                              const ScriptInput& input,
                                              const CancelToken& cancel = {});

}  // namespace fl::service
