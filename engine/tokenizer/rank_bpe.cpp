// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/rank_bpe.h"

#include <fmt/core.h>

namespace fl::tokenizer {

Status checkAllBytes(const Vocabulary& vocabulary) {
    for (int byte = 0; byte < 256; ++byte) {
        const char text = static_cast<char>(byte);
        if (vocabulary.findBytes(std::string_view(&text, 1)) < 0)
            return Error{ErrorCode::Corrupt,
                         fmt::format("there is no token for the byte {:#04x}: the file is cut "
                                     "short or holds no ranks",
                                     byte)};
    }
    return Done{};
}

Status RankBpe::encode(std::string_view piece, std::vector<TokenId>& out) const {
    if (const TokenId whole = vocabulary_.findBytes(piece); whole >= 0) {
        out.push_back(whole);
        return Done{};
    }
    const JoinedRules rules{vocabulary_, piece};
    const auto emit = [&](const Symbol& symbol) {
        out.push_back(vocabulary_.findBytes(piece.substr(symbol.begin, symbol.end - symbol.begin)));
    };
    if (piece.size() <= kShortPiece) {
        std::array<Symbol, kShortPiece> symbols;
        for (std::size_t at = 0; at < piece.size(); ++at)
            symbols[at] = {at, at + 1, -1};
        const std::size_t count = mergeShort(rules, symbols.data(), piece.size());
        for (std::size_t i = 0; i < count; ++i)
            emit(symbols[i]);
        return Done{};
    }
    LongMerge<JoinedRules> merge(rules, piece.size());
    for (std::size_t at = 0; at < piece.size(); ++at)
        merge.add(at, -1);
    merge.run();
    merge.each(emit);
    return Done{};
}

}  // namespace fl::tokenizer
