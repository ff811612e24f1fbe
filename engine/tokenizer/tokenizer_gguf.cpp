// SPDX-License-Identifier: Apache-2.0
// Builds a tokenizer from the keys tokenizer.* of a GGUF file (ggml's docs/gguf.md).
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

// Values of tokenizer.ggml.token_type.
constexpr std::int64_t kControl = 3;
constexpr std::int64_t kUserDefined = 4;

TokenId idAt(const Json& metadata, const char* key) {
    return static_cast<TokenId>(metadata[key].integer(-1));
}

std::vector<AddedToken> markedTokens(const Json& metadata) {
    const Json::Array& tokens = metadata["tokenizer.ggml.tokens"].items();
    const Json::Array& types = metadata["tokenizer.ggml.token_type"].items();
    std::vector<AddedToken> added;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i].integer() != kControl && types[i].integer() != kUserDefined)
            continue;
        AddedToken token;
        token.id = static_cast<TokenId>(i);
        token.content = tokens[i].string();
        token.special = types[i].integer() == kControl;
        added.push_back(std::move(token));
    }
    return added;
}

Status checkTokens(const Json& metadata) {
    const std::size_t tokens = metadata["tokenizer.ggml.tokens"].items().size();
    if (tokens == 0)
        return Error{ErrorCode::Corrupt, "tokenizer.ggml.tokens is missing or empty"};
    for (const char* key : {"tokenizer.ggml.token_type", "tokenizer.ggml.scores"}) {
        const std::size_t entries = metadata[key].items().size();
        if (entries > 0 && entries != tokens)
            return Error{ErrorCode::Corrupt,
                         fmt::format("{} has {} entries for {} tokens", key, entries, tokens)};
    }
    return Done{};
}

Status addMerges(const Json& merges, Bpe& model) {
    for (const Json& merge : merges.items()) {
        const std::string_view line = merge.string();
        const std::size_t space = line.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == line.size())
            return Error{ErrorCode::Corrupt,
                         fmt::format("tokenizer.ggml.merges: '{}' is not two tokens", line)};
        FL_DO(model.addMerge(line.substr(0, space), line.substr(space + 1)));
    }
    return Done{};
}

void addSurroundings(const Json& metadata, bool addsBos, Tokenizer::State& state) {
    state.bos = idAt(metadata, "tokenizer.ggml.bos_token_id");
    const TokenId eos = idAt(metadata, "tokenizer.ggml.eos_token_id");
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                            "tokenizer.ggml.eom_token_id"})
        state.addEos(idAt(metadata, key));
    if (metadata["tokenizer.ggml.add_bos_token"].boolean(addsBos) && state.bos >= 0)
        state.prefix.push_back(state.bos);
    if (metadata["tokenizer.ggml.add_eos_token"].boolean() && eos >= 0)
        state.suffix.push_back(eos);
    state.chatTemplate = metadata["tokenizer.chat_template"].string();
}

using Made = Result<std::unique_ptr<Tokenizer::State>>;

Made readGpt2(const Json& metadata) {
    const Json* pre = metadata.find("tokenizer.ggml.pre");
    FL_TRY(const Splits splits,
           splitsFor(pre != nullptr ? pre->string() : "default", "tokenizer.ggml.pre"));
    Vocabulary vocabulary(Spelling::ByteAlphabet);
    TokenId next = 0;
    for (const Json& token : metadata["tokenizer.ggml.tokens"].items())
        FL_DO(vocabulary.add(token.string(), next++));
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary));
    BpeOptions options;
    options.ignoreMerges = splits.ignoreMerges;
    auto model = std::make_unique<Bpe>(state->vocabulary, options);
    FL_DO(addMerges(metadata["tokenizer.ggml.merges"], *model));
    state->model = std::move(model);
    if (splits.normalizeNfc)
        state->normalizer = Normalizer::form(NormalForm::NFC);
    FL_DO(state->recognise(markedTokens(metadata)));
    FL_TRY(state->preTokenizer, PreTokenizer::fromPatterns(splits.patterns));
    addSurroundings(metadata, splits.addBos, *state);
    return state;
}

// llama: the pieces, scores and kinds of a SentencePiece model.
Made readLlama(const Json& metadata) {
    const Json::Array& tokens = metadata["tokenizer.ggml.tokens"].items();
    const Json::Array& scores = metadata["tokenizer.ggml.scores"].items();
    const Json::Array& types = metadata["tokenizer.ggml.token_type"].items();
    if (scores.empty())
        return Error{ErrorCode::Corrupt, "tokenizer.ggml.scores is missing, and llama needs it"};
    SentencePieceSpec spec;
    spec.isBpe = true;
    spec.byteFallback = true;
    spec.addDummyPrefix = metadata["tokenizer.ggml.add_space_prefix"].boolean(true);
    spec.removeExtraSpaces = metadata["tokenizer.ggml.remove_extra_whitespaces"].boolean();
    spec.pieces.reserve(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::int64_t type = types.empty() ? 1 : types[i].integer();
        spec.pieces.push_back(
            {tokens[i].string(), static_cast<float>(scores[i].number()),
             type >= 1 && type <= 6 ? static_cast<PieceType>(type) : PieceType::Normal});
    }
    FL_TRY(auto state, sentencePieceState(std::move(spec)));
    FL_DO(state->recognise(markedTokens(metadata)));
    addSurroundings(metadata, true, *state);
    return state;
}

}  // namespace

Result<Tokenizer> Tokenizer::fromGguf(const Json& metadata) {
    const std::string& model = metadata["tokenizer.ggml.model"].string();
    if (model != "gpt2" && model != "llama")
        return Error{ErrorCode::Unsupported,
                     model.empty() ? std::string("the file has no key tokenizer.ggml.model")
                                   : fmt::format("tokenizer.ggml.model '{}' is not supported "
                                                 "(known: gpt2, llama)",
                                                 model)};
    FL_DO(checkTokens(metadata));
    FL_TRY(auto state, model == "gpt2" ? readGpt2(metadata) : readLlama(metadata));
    return Tokenizer(std::move(state));
}

}  // namespace fl::tokenizer
