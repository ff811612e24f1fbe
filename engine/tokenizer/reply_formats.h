// SPDX-License-Identifier: Apache-2.0
// The formats of answers, one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/tokenizer/reply_reader.h"

namespace fl::tokenizer {

// Reads what stands from the first mark of calls on, that mark included; text between and behind
// calls is added to `reply.content`. An error says how the text departs.
using ReadCalls = Status (*)(std::string_view tail, Reply& reply);

struct ReplyFormat {
    std::string_view name;
    std::string_view marks[2];  // in the template; both must be there, "" is everywhere
    std::string_view reasoningOpen;
    std::string_view reasoningClose;
    std::string_view calls;  // how the part with calls begins
    ReadCalls readCalls = nullptr;
    bool trims = true;        // white space around reasoning and content
    bool keepsStops = false;  // the token that ends the answer is part of the format
};

const ReplyFormat& replyFormatNamed(std::string_view name);  // the last row, "raw", for others

}  // namespace fl::tokenizer
