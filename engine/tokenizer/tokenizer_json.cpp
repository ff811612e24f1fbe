// SPDX-License-Identifier: Apache-2.0
// Reads a tokenizer.json (format of the tokenizers library 0.23). What is not known is named and
// refused: a guess would give wrong ids without a sign.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/json_tables.h"
#include "engine/tokenizer/tokenizer_readers.h"
#include "engine/tokenizer/unigram.h"

namespace fl::tokenizer {

namespace {

Error unsupported(std::string message) {
    return {ErrorCode::Unsupported, std::move(message)};
}

Status checkBpe(const JsonTables& file) {
    const Json& model = file.rest["model"];
    if (!file.vocab.starts_with('{'))
        return Error{ErrorCode::Corrupt, "model has no vocab"};
    if (!file.merges.starts_with('['))
        return Error{ErrorCode::Corrupt, "model has no merges"};
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!model[key].string().empty())
            return unsupported(
                fmt::format("model.{} '{}' is not supported", key, model[key].string()));
    }
    if (model["dropout"].number() != 0)
        return unsupported("model.dropout is not supported");
    return Done{};
}

// The ids that a TemplateProcessing puts before and after the text.
Status addTemplate(const Json& description, Tokenizer::State& state) {
    bool afterText = false;
    std::vector<TokenId> before;
    for (const Json& part : description["single"].items()) {
        if (part.find("Sequence") != nullptr) {
            afterText = true;
            continue;
        }
        const std::string& name = part["SpecialToken"]["id"].string();
        const Json& ids = description["special_tokens"][name]["ids"];
        if (!ids.isArray())
            return Error{ErrorCode::Corrupt,
                         fmt::format("post_processor names the token '{}' without its ids", name)};
        for (const Json& id : ids.items())
            (afterText ? state.suffix : before).push_back(static_cast<TokenId>(id.integer(-1)));
    }
    state.prefix.insert(state.prefix.begin(), before.begin(), before.end());
    return Done{};
}

Status addPostProcessor(const Json& description, Tokenizer::State& state) {
    if (description.isNull())
        return Done{};
    const std::string& type = description["type"].string();
    if (type == "ByteLevel")
        return Done{};  // moves offsets only
    if (type == "TemplateProcessing")
        return addTemplate(description, state);
    if (type == "RobertaProcessing" || type == "BertProcessing") {
        const TokenId cls = static_cast<TokenId>(description["cls"].item(1).integer(-1));
        const TokenId sep = static_cast<TokenId>(description["sep"].item(1).integer(-1));
        if (cls < 0 || sep < 0)
            return Error{ErrorCode::Corrupt,
                         fmt::format("post_processor {} has no ids for cls and sep", type)};
        state.prefix.insert(state.prefix.begin(), cls);
        state.suffix.push_back(sep);
        return Done{};
    }
    if (type == "Sequence") {
        for (const Json& part : description["processors"].items())
            FL_DO(addPostProcessor(part, state));
        return Done{};
    }
    return unsupported(
        fmt::format("post_processor '{}' is not supported (known: BertProcessing, ByteLevel, "
                    "RobertaProcessing, Sequence, TemplateProcessing)",
                    type));
}

Status addMerges(const JsonTables& file, Bpe& model, const CancelToken& cancel) {
    std::size_t index = 0;
    return eachMerge(
        file.merges, cancel,
        [&](std::string_view left, std::string_view right, std::string_view written) -> Status {
            if (left.empty() || right.empty())
                return Error{ErrorCode::Corrupt,
                             fmt::format("merge {} is {}, expected two tokens", index, written)};
            ++index;
            return model.addMerge(left, right);
        });
}

Result<std::vector<AddedToken>> readAdded(const Json& list, Vocabulary& vocabulary) {
    std::vector<AddedToken> tokens;
    for (const Json& entry : list.items()) {
        AddedToken token = addedTokenOf(entry);
        token.normalized = entry["normalized"].boolean(!token.special);
        if (token.content.empty())
            return Error{ErrorCode::Corrupt,
                         fmt::format("added token {} has no content", tokens.size())};
        // The vocabulary's own id wins, as in the tokenizers library.
        token.id = vocabulary.findSpelling(token.content);
        if (token.id < 0) {
            const std::int64_t id = entry["id"].integer(-1);
            FL_DO(vocabulary.addLiteral(token.content, id));
            token.id = static_cast<TokenId>(id);
        }
        tokens.push_back(std::move(token));
    }
    return tokens;
}

std::unique_ptr<Tokenizer::State> stateOf(Vocabulary vocabulary, Kind kind) {
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary));
    state->kind = kind;
    return state;
}

using Made = Result<std::unique_ptr<Tokenizer::State>>;

// With all that does not depend on the model.
Made finished(const JsonTables& file,
              bool isByteLevel,
              std::vector<AddedToken> added,
              std::unique_ptr<Tokenizer::State> state) {
    FL_TRY(state->normalizer, Normalizer::fromJson(file.rest["normalizer"]));
    FL_TRY(state->decoder, Decoder::fromJson(file.rest["decoder"], isByteLevel));
    FL_DO(state->recognise(std::move(added)));
    FL_DO(addPostProcessor(file.rest["post_processor"], *state));
    return state;
}

Made readBpe(const JsonTables& file, bool isByteLevel, const CancelToken& cancel) {
    const Json& model = file.rest["model"];
    FL_DO(checkBpe(file));
    Vocabulary vocabulary(isByteLevel ? Spelling::ByteAlphabet : Spelling::Plain);
    FL_DO(eachToken(file.vocab, cancel, [&](std::string_view spelling, std::int64_t id) {
        return vocabulary.add(spelling, id);
    }));
    FL_TRY(std::vector<AddedToken> added, readAdded(file.rest["added_tokens"], vocabulary));
    auto state =
        stateOf(std::move(vocabulary), isByteLevel ? Kind::ByteLevelBpe : Kind::CharacterBpe);
    BpeOptions options;
    options.characters = !isByteLevel;
    options.ignoreMerges = model["ignore_merges"].boolean();
    options.byteFallback = !isByteLevel && model["byte_fallback"].boolean();
    options.fuseUnknown = model["fuse_unk"].boolean();
    if (const std::string& unknown = model["unk_token"].string(); !unknown.empty())
        options.unknown = state->vocabulary.findSpelling(unknown);
    auto bpe = std::make_unique<Bpe>(state->vocabulary, options);
    FL_DO(addMerges(file, *bpe, cancel));
    state->model = std::move(bpe);
    return finished(file, isByteLevel, std::move(added), std::move(state));
}

Made readUnigram(const JsonTables& file, const CancelToken& cancel) {
    const Json& model = file.rest["model"];
    if (!file.vocab.starts_with('['))
        return Error{ErrorCode::Corrupt, "model has no vocab"};
    Vocabulary vocabulary(Spelling::Plain);
    std::vector<TokenId> found;
    std::vector<double> scores;
    FL_DO(eachScored(file.vocab, cancel, [&](std::string_view piece, double score) {
        found.push_back(static_cast<TokenId>(found.size()));
        scores.push_back(score);
        return vocabulary.add(piece, found.back());
    }));
    FL_TRY(std::vector<AddedToken> added, readAdded(file.rest["added_tokens"], vocabulary));
    UnigramOptions options;
    const std::int64_t unknown = std::max<std::int64_t>(-1, model["unk_id"].integer(-1));
    if (unknown >= std::ssize(scores))
        return Error{ErrorCode::Corrupt,
                     fmt::format("model.unk_id {} is past the {} pieces", unknown, scores.size())};
    options.unknown = static_cast<TokenId>(unknown);
    options.byteFallback = model["byte_fallback"].boolean();
    // Ten below the lowest score, as both libraries have it.
    options.unknownScore =
        (scores.empty() ? 0 : *std::min_element(scores.begin(), scores.end())) - 10;
    auto state = stateOf(std::move(vocabulary), Kind::Unigram);
    state->model = std::make_unique<Unigram>(state->vocabulary, found, std::move(scores), options);
    return finished(file, false, std::move(added), std::move(state));
}

}  // namespace

Made readTokenizerJson(std::string_view text, const CancelToken& cancel) {
    FL_TRY(const JsonTables file, readJsonTables(text, cancel));
    FL_TRY(PreTokenizer preTokenizer, PreTokenizer::fromJson(file.rest["pre_tokenizer"]));
    const bool isByteLevel = preTokenizer.isByteLevel();
    const std::string& type = file.rest["model"]["type"].string();
    // Old files have no type; BPE is told by its merges.
    const bool isBpe = type == "BPE" || (type.empty() && file.merges.starts_with('['));
    if (!isBpe && type != "Unigram")
        return unsupported(
            fmt::format("model type '{}' is not supported (known: BPE, Unigram)", type));
    if (!isBpe && isByteLevel)
        return unsupported("model type 'Unigram' with a pre_tokenizer ByteLevel is not supported");
    FL_TRY(auto state, isBpe ? readBpe(file, isByteLevel, cancel) : readUnigram(file, cancel));
    state->preTokenizer = std::move(preTokenizer);
    return state;
}

}  // namespace fl::tokenizer
