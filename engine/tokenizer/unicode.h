// SPDX-License-Identifier: Apache-2.0
// Character properties and normal forms, over utf8proc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace fl::tokenizer {

enum class NormalForm : std::uint8_t { NFC, NFD, NFKC, NFKD };

// `text` is valid UTF-8.
Result<std::string> normalized(std::string_view text, NormalForm form);

// Bytes of the first grapheme cluster (UAX 29) of a text that is valid and not empty.
std::size_t graphemeBytes(std::string_view text);
// `text` without marks (M).
std::string withoutMarks(std::string_view text);
// Lower case by the full mappings of Rust's char::to_lowercase (U+0130 becomes two).
std::string toLowerFully(std::string_view text);

bool isWordCharacter(char32_t code);  // \w: letters, marks, decimal digits, connectors
bool isSpace(char32_t code);          // the Unicode property White_Space
bool isPythonSpace(char32_t code);    // str.isspace(): White_Space and U+001C to U+001F
bool isLetter(char32_t code);
bool isDigit(char32_t code);       // decimal digits of any script
bool isSuperDigit(char32_t code);  // the further ones of str.isdigit(): ² ① and the like
bool isNumeric(char32_t code);     // str.isnumeric(), as far as categories tell: digits, ½ Ⅷ
bool isLower(char32_t code);
bool isUpper(char32_t code);
bool isPrintable(char32_t code);  // str.isprintable()

// Simple case mappings, and the one special case that texts meet: "ß" in upper case is "SS".
std::string toUpper(std::string_view text);
std::string toLower(std::string_view text);
std::string caseFolded(std::string_view text);  // str.casefold()
char32_t lowerOf(char32_t code);
char32_t titleOf(char32_t code);

}  // namespace fl::tokenizer
