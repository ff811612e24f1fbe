// SPDX-License-Identifier: Apache-2.0
// SentencePiece's table of character replacements: a double array (Darts-clone) and the texts that
// it points into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace fl::tokenizer {

class Charsmap {
public:
    // The blob `precompiled_charsmap`.
    static Result<Charsmap> parse(std::string_view blob);

    struct Match {
        std::size_t length = 0;  // of the text that is replaced; 0: no rule
        std::string_view replacement;
    };
    Match longest(std::string_view text) const;
    Match shortest(std::string_view text) const;

private:
    template <class Sink>
    void prefixesOf(std::string_view text, const Sink& sink) const;
    std::string_view replacementAt(std::uint32_t offset) const;

    std::vector<std::uint32_t> units_;
    std::string texts_;  // each ends in a zero byte
};

// What the tokenizers library makes of a text with such a table: it looks up grapheme clusters of
// up to five bytes as a whole by their shortest rule, then characters.
std::string replacedByGraphemes(const Charsmap& map, std::string_view text);

}  // namespace fl::tokenizer
