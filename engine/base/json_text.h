// SPDX-License-Identifier: Apache-2.0
// Reads a JSON file that lies beside weights (config.json, tokenizer.json) and says as a finding
// why it is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"

namespace fl {

struct JsonText {
    bool absent = false;        // there is no such file
    std::optional<Json> value;  // an object with keys
    // Of `code` where it could not be read; warnings of code "json-tolerated" for a byte order mark
    // and for nesting beyond 64 levels, which is cut off.
    std::vector<Finding> findings;
};

JsonText readJsonText(const std::string& folder, const std::string& fileName, std::string code);

// The same of a text at hand.
JsonText parseJsonText(std::string_view text, const std::string& fileName, std::string code);

}  // namespace fl
