// SPDX-License-Identifier: Apache-2.0
// The GPT-2 alphabet: every byte written as one printable character, so that a vocabulary of byte
// strings is a list of texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fl::tokenizer {

// "Ġ" for 0x20, "a" for 0x61.
std::string byteSpelling(unsigned char byte);

// The bytes that `spelling` stands for; nothing if one of its characters is not of the alphabet.
std::optional<std::string> spelledBytes(std::string_view spelling);

}  // namespace fl::tokenizer
