// SPDX-License-Identifier: Apache-2.0
// The text of one answer as its tokens come in: whole characters, and nothing that might still
// become a stop string.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace fl::service {

class AnswerText {
public:
    // Without a tokenizer there is no text, only tokens. It must outlive this object.
    AnswerText(const tokenizer::Tokenizer* tokenizer, std::vector<std::string> stops);

    // The text that may be shown now, possibly "".
    std::string push(tokenizer::TokenId id);
    // What is left when the answer ended otherwise than by a stop string.
    std::string flush();
    // A stop string came: it and all behind it are left out for good.
    bool stopped() const { return stopped_; }

private:
    std::string release(bool all);

    std::optional<tokenizer::StreamDecoder> decoder_;
    std::vector<std::string> stops_;
    std::string held_;
    bool stopped_ = false;
};

}  // namespace fl::service
