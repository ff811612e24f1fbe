// SPDX-License-Identifier: Apache-2.0
// Cuts a template into text and the tokens of its tags, with white space already trimmed as
// trim_blocks, lstrip_blocks and the minus signs say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::tokenizer::jinja {

struct Location {
    int line = 1;
    int column = 1;  // in bytes
};

enum class TokenKind : std::uint8_t {
    Text,  // outside of tags
    BlockBegin,
    BlockEnd,
    OutputBegin,
    OutputEnd,
    Name,
    String,
    Integer,
    Float,
    Operator,
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;  // strings without quotes and escapes
    Location at;
};

Error errorAt(Location at, std::string_view message, ErrorCode code = ErrorCode::Corrupt);

Result<std::vector<Token>> lex(std::string_view source);

}  // namespace fl::tokenizer::jinja
