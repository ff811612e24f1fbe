// SPDX-License-Identifier: Apache-2.0
// One reader per file format; Tokenizer::fromFolder picks. All give out a state without what the
// files beside theirs say.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/tokenizer/tokenizer_state.h"

namespace fl::tokenizer {

Result<std::unique_ptr<Tokenizer::State>> readTokenizerJson(std::string_view text,
                                                            const CancelToken& cancel);

// Name of the file that a folder's tokenizer is read from; "" if it has none.
std::string tokenizerFileIn(const std::string& folder);

// What the files beside a rank file say of it.
struct RankFileContext {
    std::string fileName;
    std::string split;     // of LoadOptions
    const Json& settings;  // tokenizer_config.json, or null
    const Json& config;    // config.json, or null
};
Result<std::unique_ptr<Tokenizer::State>> readRankFile(std::string_view text,
                                                       const RankFileContext& context,
                                                       const CancelToken& cancel);

Result<std::unique_ptr<Tokenizer::State>> readTekken(std::string_view text,
                                                     const CancelToken& cancel);

// A SentencePiece model; `settings` is tokenizer_config.json, or null.
Result<std::unique_ptr<Tokenizer::State>> readSentencePiece(std::string_view bytes,
                                                            const Json& settings,
                                                            const CancelToken& cancel);

// The split patterns of resources/tokenizers/pre.json by name.
struct Splits {
    std::vector<std::string> patterns;
    bool ignoreMerges = false;
    bool addBos = false;
    bool normalizeNfc = false;
};
// `asker` begins the message where the name is not known: "tokenizer.ggml.pre".
Result<Splits> splitsFor(const std::string& name, const std::string& asker);

// The added_tokens_decoder of a tokenizer_config.json.
Result<std::vector<AddedToken>> addedTokensOf(const Json& settings);

}  // namespace fl::tokenizer
