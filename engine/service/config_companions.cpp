// SPDX-License-Identifier: Apache-2.0
#include "engine/service/config_companions.h"

#include <string>
#include <utility>

#include <fmt/core.h>

namespace fl::service {

// "269 (</s> of the tokenizer)"; empty if no file says anything.
static std::string saidOf(const std::string& key,
                          const tokenizer::SaidByTokenizer& said,
                          const Json& generation) {
    if (key == "max_position_embeddings" && said.longest)
        return fmt::format("{} (model_max_length of tokenizer_config.json)", *said.longest);
    if (const auto at = said.tokens.find(key); at != said.tokens.end())
        return fmt::format("{} ({} of the tokenizer)", at->second.id, at->second.text);
    const Json& value = generation[key];
    if (key.ends_with("_token_id") && !value.isNull())
        return fmt::format("{} (generation_config.json)", value.dump());
    return "";
}

void completeFromCompanions(std::vector<Finding>& findings,
                            const tokenizer::SaidByTokenizer& said,
                            const Json& generation) {
    for (Finding& finding : findings) {
        if (finding.file != "config.json" || !finding.code.starts_with("config-"))
            continue;
        const std::string key = finding.key.substr(finding.key.rfind('.') + 1);
        std::string value = saidOf(key, said, generation);
        if (!value.empty())
            finding.expected =
                std::move(value) + (finding.expected.empty() ? "" : ", ") + finding.expected;
    }
}

}  // namespace fl::service
