// SPDX-License-Identifier: Apache-2.0
// UTF-8 as the tokenizers need it: decoding that survives invalid bytes, and says which are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fl::tokenizer {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

enum class Utf8State : std::uint8_t {
    Valid,
    Invalid,     // the bytes are a maximal part that no character begins with
    Incomplete,  // the text ends inside what may still become a character
};

struct Utf8Char {
    char32_t code = 0xFFFD;
    std::size_t bytes = 1;
    Utf8State state = Utf8State::Invalid;
};

// The character at `at`, which is inside `text`. What is replaced by one U+FFFD is the maximal
// subpart of Unicode 16, section 3.9, as Python, Rust and the web do it.
Utf8Char decodeUtf8(std::string_view text, std::size_t at);

void appendUtf8(std::string& out, char32_t code);

// `text` with every maximal invalid part replaced by U+FFFD.
std::string validUtf8(std::string_view text);

// Precondition for these three: valid UTF-8.
std::u32string toCodePoints(std::string_view text);
std::string fromCodePoints(std::u32string_view text);
std::int64_t countCodePoints(std::string_view text);

}  // namespace fl::tokenizer
