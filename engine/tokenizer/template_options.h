// SPDX-License-Identifier: Apache-2.0
// What a template takes from its caller beside the messages, read from its syntax tree: names such
// as enable_thinking, with the kinds and defaults that can be seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace fl::tokenizer {

struct TemplateOption {
    std::string name;
    // boolean, text, number, list, object; "any" where nothing tells
    std::string kind = "any";
    Json fallback;                    // what the template takes without it; null: not to be seen
    std::vector<std::string> values;  // texts that it is compared with
    int line = 0;                     // where it is first read
};

struct TemplateOptions {
    std::vector<TemplateOption> options;  // in the order of their first use
    bool takesTools = false;
    bool takesDocuments = false;
};

// Errors as ChatTemplate::parse().
Result<TemplateOptions> templateOptions(std::string_view source);

}  // namespace fl::tokenizer
