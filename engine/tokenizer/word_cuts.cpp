// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/word_cuts.h"

namespace fl::tokenizer {

bool cutsAtWords(const Vocabulary& vocabulary) {
    if (vocabulary.findBytes(kSpaceMark) < 0)
        return false;
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const std::string_view piece = vocabulary.bytes(id);
        if (!vocabulary.isLiteral(id) && !piece.empty() && wordEnd(piece, 0) < piece.size())
            return false;
    }
    return true;
}

std::size_t wordEnd(std::string_view text, std::size_t at) {
    while (text.substr(at, kSpaceMark.size()) == kSpaceMark)
        at += kSpaceMark.size();
    const std::size_t next = text.find(kSpaceMark, at);
    return next == std::string_view::npos ? text.size() : next;
}

}  // namespace fl::tokenizer
