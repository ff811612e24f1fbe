// SPDX-License-Identifier: Apache-2.0
// Takes a model's answer apart as it comes: reasoning, content, and the functions it calls. Formats
// are rows of a table (reply_formats.cpp); where none is known an answer is content as it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::tokenizer {

struct ReplyCall {
    std::string id;  // where the format has one
    std::string name;
    std::string arguments;  // JSON, as the model wrote it
};

struct Reply {
    std::string reasoning;
    std::string content;
    std::vector<ReplyCall> calls;
    std::string malformed;  // how it departs from its format; what could not be read is content
};

// The format whose marks a chat template has: "hermes", "qwen-xml", …, or "raw".
std::string replyFormat(std::string_view chatTemplate);
// Whether an answer to `prompt` begins within the reasoning, which the prompt opened.
bool opensReasoning(std::string_view format, std::string_view prompt);

class ReplyReader {
public:
    // An unknown format is "raw".
    ReplyReader(std::string_view format, bool reasons);
    ReplyReader(ReplyReader&&) noexcept;
    ReplyReader& operator=(ReplyReader&&) noexcept;
    ~ReplyReader();

    // Whether the text that reaches it must have the token in it that ended the answer.
    bool keepsStops() const;

    struct Part {
        std::string reasoning;
        std::string content;
    };
    // What `text`, control tokens written out, adds for sure. However it is cut, the parts come to
    // the same together.
    Part push(std::string_view text);
    // The whole answer; what push() gave is its beginning. Once.
    Reply finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fl::tokenizer
