// SPDX-License-Identifier: Apache-2.0
#include "engine/service/language.h"

#include <algorithm>

#include "engine/protocol/codec.h"
#include "engine/tokenizer/chat_prompt.h"

namespace fl::service {

namespace {

void addId(std::vector<int>& ids, std::int64_t id) {
    if (id >= 0 && std::find(ids.begin(), ids.end(), static_cast<int>(id)) == ids.end())
        ids.push_back(static_cast<int>(id));
}

void addIds(std::vector<int>& ids, const Json& value) {
    if (value.isInteger())
        addId(ids, value.integer());
    for (const Json& item : value.items())
        addId(ids, item.integer(-1));
}

}  // namespace

Language Language::load(const checkpoint::Checkpoint& checkpoint, const CancelToken& cancel) {
    Language out;
    auto tokenizer = checkpoint.format == checkpoint::Format::Gguf
                         ? tokenizer::Tokenizer::fromGguf(checkpoint.metadata)
                         : tokenizer::Tokenizer::fromFolder(checkpoint.folder, cancel);
    if (tokenizer) {
        out.tokenizer_ = std::move(*tokenizer);
        for (const tokenizer::TokenId id : out.tokenizer_->eos())
            addId(out.stopIds_, id);
    } else {
        out.problem_ = tokenizer.error().message;
    }
    addIds(out.stopIds_, checkpoint.generationConfig["eos_token_id"]);
    if (out.stopIds_.empty())
        addIds(out.stopIds_, checkpoint.config["eos_token_id"]);
    return out;
}

Result<std::vector<int>> Language::encode(const std::string& text) const {
    if (!tokenizer_)
        return Error{ErrorCode::NotFound, "no tokenizer: " + problem_};
    tokenizer::EncodeOptions options;
    options.special = tokenizer::Special::Parse;
    FL_TRY(const auto ids, tokenizer_->encode(text, options));
    return std::vector<int>(ids.begin(), ids.end());
}

Result<std::string> Language::render(const std::vector<protocol::Message>& messages) const {
    if (!tokenizer_)
        return Error{ErrorCode::NotFound, "no tokenizer: " + problem_};
    return tokenizer::renderChat(*tokenizer_, protocol::encode(messages));
}

Result<Prompt> Language::promptFor(const protocol::ChatRequest& request) const {
    Prompt out;
    const int given = static_cast<int>(!request.messages.empty()) +
                      static_cast<int>(!request.raw.empty()) +
                      static_cast<int>(!request.ids.empty());
    if (given == 0)
        return Error{ErrorCode::InvalidArgument,
                     "the prompt is empty: give messages, raw text or ids"};
    if (given > 1)
        return Error{ErrorCode::InvalidArgument,
                     "give either messages or raw text or ids, not several of them"};
    if (!request.ids.empty()) {
        out.ids = request.ids;
        return out;
    }
    out.text = request.raw;
    if (!request.messages.empty()) {
        FL_TRY(out.text, render(request.messages));
    }
    FL_TRY(out.ids, encode(out.text));
    if (out.ids.empty())
        return Error{ErrorCode::InvalidArgument, "the prompt is empty: its text has no tokens"};
    return out;
}

}  // namespace fl::service
