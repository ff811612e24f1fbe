// SPDX-License-Identifier: Apache-2.0
// How a checkpoint turns what a user says into ids, and which ids end its answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/protocol/chat_messages.h"
#include "engine/tokenizer/reply_reader.h"
#include "engine/tokenizer/tokenizer.h"

namespace fl::service {

struct Prompt {
    std::string text;      // as rendered; empty for ids
    std::string renderer;  // "template", "recipe", "raw" or "ids"
    std::vector<int> ids;
};

// Immutable after loading, safe from every thread.
class Language {
public:
    // Never fails: without a tokenizer ids still work, and text says what is missing. Of no use
    // once cancelled.
    // `script` is the module that writes prompts where there is no template ("": none).
    static Language load(const checkpoint::Checkpoint& checkpoint,
                         const std::string& script = {},
                         const CancelToken& cancel = {});

    // nullptr: there is none, and problem() says why.
    const tokenizer::Tokenizer* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
    const std::string& problem() const { return problem_; }
    // Of the tokenizer and of generation_config.json.
    const std::vector<int>& stopIds() const { return stopIds_; }
    // How it chats: by which renderer, with which options and stops.
    const protocol::ChatInfo& info() const { return info_; }
    // "chat-stop-missing": what the template ends an answer with does not end one here.
    const std::vector<Finding>& findings() const { return findings_; }

    // Messages through the chat template, raw text, or ids as they are. Fails on an empty prompt,
    // on ids that do not exist, and where text is given and the checkpoint has no tokenizer.
    // Rendering ends soon after `cancel`.
    Result<Prompt> promptFor(const protocol::ChatRequest& request,
                             const CancelToken& cancel = {}) const;
    Result<std::vector<int>> encode(const std::string& text) const;
    // For the answer to `prompt`.
    tokenizer::ReplyReader replyReader(const Prompt& prompt) const;
    // What the client is told of a prompt: each id's text, and which are control tokens.
    protocol::ChatStarted started(const std::string& request, const Prompt& prompt) const;

private:
    Status render(const protocol::ChatRequest& request,
                  const CancelToken& cancel,
                  Prompt& out) const;
    Status renderByScript(const protocol::ChatRequest& request,
                          const Json& messages,
                          const CancelToken& cancel,
                          Prompt& out) const;
    void readStops(const checkpoint::Checkpoint& checkpoint);
    void addStops(const Json& ids, const std::string& source);
    void describe(const std::string& script);
    void checkTemplateEnd(const CancelToken& cancel);

    std::optional<tokenizer::Tokenizer> tokenizer_;
    std::string problem_;
    std::string script_;
    protocol::ChatInfo info_;
    std::vector<Finding> findings_;
    std::vector<int> stopIds_;
};

}  // namespace fl::service
