// SPDX-License-Identifier: Apache-2.0
// Builds a tokenizer from the keys tokenizer.* of a GGUF file (ggml's docs/gguf.md). The file only
// names its split patterns; what a name means is data: resources/tokenizers/pre.json.
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer_state.h"

namespace fl::tokenizer {

namespace {

// Values of tokenizer.ggml.token_type.
constexpr std::int64_t kControl = 3;
constexpr std::int64_t kUserDefined = 4;

struct Splits {
    std::vector<std::string> patterns;
    bool ignoreMerges = false;
    bool addBos = false;
    bool normalizeNfc = false;
};

Result<Splits> splitsFor(const std::string& name) {
    const std::string path = resourcesDir() + "/tokenizers/pre.json";
    FL_TRY(const Json file, Json::parseFile(path));
    std::vector<std::string> known;
    for (const Json& entry : file["splits"].items()) {
        for (const Json& alias : entry["names"].items()) {
            known.push_back(alias.string());
            if (alias.string() != name)
                continue;
            Splits splits;
            for (const Json& pattern : entry["patterns"].items())
                splits.patterns.push_back(pattern.string());
            splits.ignoreMerges = entry["ignore_merges"].boolean();
            splits.addBos = entry["add_bos"].boolean();
            splits.normalizeNfc = entry["nfc"].boolean();
            return splits;
        }
    }
    return Error{ErrorCode::Unsupported,
                 fmt::format("tokenizer.ggml.pre '{}' is not known (known: {}); add it to {}", name,
                             join(known, ", "), path)};
}

TokenId idAt(const Json& metadata, const char* key) {
    return static_cast<TokenId>(metadata[key].integer(-1));
}

Result<std::vector<AddedToken>> readTokens(const Json& metadata, Vocabulary& vocabulary) {
    const Json::Array& tokens = metadata["tokenizer.ggml.tokens"].items();
    const Json::Array& types = metadata["tokenizer.ggml.token_type"].items();
    if (tokens.empty())
        return Error{ErrorCode::Corrupt, "tokenizer.ggml.tokens is missing or empty"};
    if (!types.empty() && types.size() != tokens.size())
        return Error{ErrorCode::Corrupt,
                     fmt::format("tokenizer.ggml.token_type has {} entries for {} tokens",
                                 types.size(), tokens.size())};
    std::vector<AddedToken> added;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto id = static_cast<TokenId>(i);
        FL_DO(vocabulary.add(tokens[i].string(), id));
        const std::int64_t type = types.empty() ? 0 : types[i].integer();
        if (type != kControl && type != kUserDefined)
            continue;
        AddedToken token;
        token.id = id;
        token.content = tokens[i].string();
        token.special = type == kControl;
        added.push_back(std::move(token));
    }
    return added;
}

Status addMerges(const Json& merges, Tokenizer::State& state) {
    for (const Json& merge : merges.items()) {
        const std::string_view line = merge.string();
        const std::size_t space = line.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == line.size())
            return Error{ErrorCode::Corrupt,
                         fmt::format("tokenizer.ggml.merges: '{}' is not two tokens", line)};
        FL_DO(state.bpe.addMerge(state.vocabulary, line.substr(0, space), line.substr(space + 1)));
    }
    return Done{};
}

void addSurroundings(const Json& metadata, const Splits& splits, Tokenizer::State& state) {
    state.bos = idAt(metadata, "tokenizer.ggml.bos_token_id");
    const TokenId eos = idAt(metadata, "tokenizer.ggml.eos_token_id");
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                            "tokenizer.ggml.eom_token_id"})
        state.addEos(idAt(metadata, key));
    if (metadata["tokenizer.ggml.add_bos_token"].boolean(splits.addBos) && state.bos >= 0)
        state.prefix.push_back(state.bos);
    if (metadata["tokenizer.ggml.add_eos_token"].boolean() && eos >= 0)
        state.suffix.push_back(eos);
    state.chatTemplate = metadata["tokenizer.chat_template"].string();
}

}  // namespace

Result<Tokenizer> Tokenizer::fromGguf(const Json& metadata) {
    const std::string& model = metadata["tokenizer.ggml.model"].string();
    if (model != "gpt2")
        return Error{ErrorCode::Unsupported,
                     model.empty() ? std::string("the file has no key tokenizer.ggml.model")
                                   : fmt::format("tokenizer.ggml.model '{}' is not supported "
                                                 "(known: gpt2)",
                                                 model)};
    const Json* pre = metadata.find("tokenizer.ggml.pre");
    FL_TRY(const Splits splits, splitsFor(pre != nullptr ? pre->string() : "default"));
    Vocabulary vocabulary;
    FL_TRY(std::vector<AddedToken> added, readTokens(metadata, vocabulary));
    BpeOptions options;
    options.ignoreMerges = splits.ignoreMerges;
    auto state = std::make_unique<State>(std::move(vocabulary), options);
    if (splits.normalizeNfc)
        state->normalizers.push_back(NormalForm::NFC);
    for (AddedToken& token : added)
        FL_DO(state->recognise(std::move(token)));
    FL_TRY(state->preTokenizer, PreTokenizer::fromPatterns(splits.patterns));
    FL_DO(addMerges(metadata["tokenizer.ggml.merges"], *state));
    addSurroundings(metadata, splits, *state);
    return Tokenizer(std::move(state));
}

}  // namespace fl::tokenizer
