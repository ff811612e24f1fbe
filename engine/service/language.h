// SPDX-License-Identifier: Apache-2.0
// How a checkpoint turns what a user says into ids, and which ids end its answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/protocol/chat_messages.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::service {

struct Prompt {
    std::string text;  // as rendered; empty for ids
    std::vector<int> ids;
};

// Immutable after loading, safe from every thread.
class Language {
public:
    // Never fails: without a tokenizer ids still work, and text says what is missing. Of no use
    // once cancelled.
    static Language load(const checkpoint::Checkpoint& checkpoint, const CancelToken& cancel = {});

    // nullptr: there is none, and problem() says why.
    const tokenizer::Tokenizer* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
    const std::string& problem() const { return problem_; }
    // Of the tokenizer and of generation_config.json.
    const std::vector<int>& stopIds() const { return stopIds_; }

    // Messages through the chat template, raw text, or ids as they are. Fails on an empty prompt,
    // on ids that do not exist, and where text is given and the checkpoint has no tokenizer.
    Result<Prompt> promptFor(const protocol::ChatRequest& request) const;
    Result<std::vector<int>> encode(const std::string& text) const;
    Result<std::string> render(const std::vector<protocol::Message>& messages) const;

private:
    std::optional<tokenizer::Tokenizer> tokenizer_;
    std::string problem_;
    std::vector<int> stopIds_;
};

}  // namespace fl::service
