// SPDX-License-Identifier: Apache-2.0
// Texts whose spaces are written "▁" reach a model as one piece. Where no token of the model has a
// "▁" behind another character, nothing is ever joined across the begin of a word, so words can be
// taken one by one with the same result.
#pragma once

#include <string_view>

#include "engine/tokenizer/vocabulary.h"

namespace fl::tokenizer {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

// No piece crosses the begin of a word, and the mark is a token itself.
bool cutsAtWords(const Vocabulary& vocabulary);

// End of the word that begins at `at`: where the next run of marks begins, or the end.
std::size_t wordEnd(std::string_view text, std::size_t at);

}  // namespace fl::tokenizer
