// SPDX-License-Identifier: Apache-2.0
// Reads a folder's tokenizer.json (format of the tokenizers library 0.23) and the files beside it.
// What is not known is named and refused: a guess would give wrong ids without a sign.
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/tokenizer/tokenizer_state.h"

namespace fl::tokenizer {

namespace {

Error unsupported(std::string message) {
    return {ErrorCode::Unsupported, std::move(message)};
}

Status checkModel(const Json& model) {
    const std::string& type = model["type"].string();
    // Old files have no type; byte-level BPE is told by its merges.
    if (type != "BPE" && !(type.empty() && model["merges"].isArray()))
        return unsupported(fmt::format("model type '{}' is not supported (known: BPE)", type));
    if (!model["vocab"].isObject())
        return Error{ErrorCode::Corrupt, "model has no vocab"};
    if (!model["merges"].isArray())
        return Error{ErrorCode::Corrupt, "model has no merges"};
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!model[key].string().empty())
            return unsupported(
                fmt::format("model.{} '{}' is not supported", key, model[key].string()));
    }
    if (model["byte_fallback"].boolean())
        return unsupported("model.byte_fallback is not supported: not a byte-level BPE");
    if (model["dropout"].number() != 0)
        return unsupported("model.dropout is not supported");
    return Done{};
}

Status addNormalizers(const Json& description, std::vector<NormalForm>& forms) {
    static constexpr std::pair<const char*, NormalForm> kForms[] = {{"NFC", NormalForm::NFC},
                                                                    {"NFD", NormalForm::NFD},
                                                                    {"NFKC", NormalForm::NFKC},
                                                                    {"NFKD", NormalForm::NFKD}};
    if (description.isNull())
        return Done{};
    const std::string& type = description["type"].string();
    if (type == "Sequence") {
        for (const Json& part : description["normalizers"].items())
            FL_DO(addNormalizers(part, forms));
        return Done{};
    }
    for (const auto& [name, form] : kForms) {
        if (type == name) {
            forms.push_back(form);
            return Done{};
        }
    }
    return unsupported(fmt::format(
        "normalizer '{}' is not supported (known: NFC, NFD, NFKC, NFKD, Sequence)", type));
}

Status checkDecoder(const Json& description) {
    const std::string& type = description["type"].string();
    if (type == "Sequence") {
        for (const Json& part : description["decoders"].items())
            FL_DO(checkDecoder(part));
        return Done{};
    }
    if (type != "ByteLevel")
        return unsupported(
            fmt::format("decoder '{}' is not supported (known: ByteLevel, Sequence)", type));
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
    if (type == "Sequence") {
        for (const Json& part : description["processors"].items())
            FL_DO(addPostProcessor(part, state));
        return Done{};
    }
    return unsupported(fmt::format(
        "post_processor '{}' is not supported (known: ByteLevel, Sequence, TemplateProcessing)",
        type));
}

Status addMerges(const Json& merges, Tokenizer::State& state) {
    std::size_t index = 0;
    for (const Json& merge : merges.items()) {
        std::string_view left;
        std::string_view right;
        if (merge.isArray() && merge.size() == 2) {
            left = merge.item(0).string();
            right = merge.item(1).string();
        } else {
            const std::string_view line = merge.string();
            const std::size_t space = line.find(' ');
            if (space != std::string_view::npos) {
                left = line.substr(0, space);
                right = line.substr(space + 1);
            }
        }
        if (left.empty() || right.empty() || right.find(' ') != std::string_view::npos)
            return Error{ErrorCode::Corrupt,
                         fmt::format("merge {} is {}, expected two tokens", index, merge.dump())};
        FL_DO(state.bpe.addMerge(state.vocabulary, left, right));
        ++index;
    }
    return Done{};
}

Result<std::vector<AddedToken>> readAdded(const Json& list, Vocabulary& vocabulary) {
    std::vector<AddedToken> tokens;
    for (const Json& entry : list.items()) {
        AddedToken token;
        token.content = entry["content"].string();
        token.id = static_cast<TokenId>(entry["id"].integer(-1));
        token.special = entry["special"].boolean();
        token.singleWord = entry["single_word"].boolean();
        token.stripLeft = entry["lstrip"].boolean();
        token.stripRight = entry["rstrip"].boolean();
        token.normalized = entry["normalized"].boolean(!token.special);
        if (token.content.empty())
            return Error{ErrorCode::Corrupt,
                         fmt::format("added token {} has no content", tokens.size())};
        // The vocabulary's own id wins, as in the tokenizers library.
        if (const TokenId known = vocabulary.findSpelling(token.content); known >= 0)
            token.id = known;
        else
            FL_DO(vocabulary.add(token.content, token.id));
        tokens.push_back(std::move(token));
    }
    return tokens;
}

Result<std::unique_ptr<Tokenizer::State>> readTokenizer(const Json& file) {
    const Json& model = file["model"];
    FL_DO(checkModel(model));
    FL_DO(checkDecoder(file["decoder"]));
    Vocabulary vocabulary;
    for (const auto& [spelling, id] : model["vocab"].members())
        FL_DO(vocabulary.add(spelling, static_cast<TokenId>(id.integer(-1))));
    FL_TRY(std::vector<AddedToken> added, readAdded(file["added_tokens"], vocabulary));
    BpeOptions options;
    options.ignoreMerges = model["ignore_merges"].boolean();
    options.fuseUnknown = model["fuse_unk"].boolean();
    if (const std::string& unknown = model["unk_token"].string(); !unknown.empty())
        options.unknown = vocabulary.findSpelling(unknown);
    auto state = std::make_unique<Tokenizer::State>(std::move(vocabulary), options);
    FL_DO(addNormalizers(file["normalizer"], state->normalizers));
    for (AddedToken& token : added)
        FL_DO(state->recognise(std::move(token)));
    FL_TRY(state->preTokenizer, PreTokenizer::fromJson(file["pre_tokenizer"]));
    FL_DO(addMerges(model["merges"], *state));
    FL_DO(addPostProcessor(file["post_processor"], *state));
    return state;
}

// "<eos>" or {"content": "<eos>", …}.
const std::string& tokenText(const Json& value) {
    return value.isObject() ? value["content"].string() : value.string();
}

std::string templateIn(const Json& value) {
    if (value.isString())
        return value.string();
    for (const Json& named : value.items()) {
        if (named["name"].string() == "default")
            return named["template"].string();
    }
    // Named templates without a default: none of them is meant for plain chat.
    return {};
}

Result<std::optional<Json>> readIfPresent(const std::string& path) {
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
        return std::optional<Json>();
    FL_TRY(Json file, Json::parseFile(path));
    return std::optional<Json>(std::move(file));
}

Status addConfig(const std::string& folder, Tokenizer::State& state) {
    FL_TRY(const std::optional<Json> config, readIfPresent(folder + "/tokenizer_config.json"));
    if (config) {
        state.bos = state.vocabulary.findSpelling(tokenText((*config)["bos_token"]));
        state.addEos(state.vocabulary.findSpelling(tokenText((*config)["eos_token"])));
        state.chatTemplate = templateIn((*config)["chat_template"]);
    }
    FL_TRY(const std::optional<Json> generation, readIfPresent(folder + "/generation_config.json"));
    if (generation) {
        const Json& eos = (*generation)["eos_token_id"];
        state.addEos(static_cast<TokenId>(eos.integer(-1)));
        for (const Json& id : eos.items())
            state.addEos(static_cast<TokenId>(id.integer(-1)));
        if (state.bos < 0)
            state.bos = static_cast<TokenId>((*generation)["bos_token_id"].integer(-1));
    }
    const std::string jinja = folder + "/chat_template.jinja";
    std::error_code problem;
    if (std::filesystem::exists(jinja, problem)) {
        FL_TRY(state.chatTemplate, readFile(jinja));
    }
    return Done{};
}

}  // namespace

Result<Tokenizer> Tokenizer::fromFolder(const std::string& folder, const CancelToken& cancel) {
    const std::string path = folder + "/tokenizer.json";
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
        return Error{ErrorCode::NotFound,
                     fmt::format("{} is missing: only folders with a tokenizer.json can be "
                                 "tokenised",
                                 path)};
    JsonLimits limits;
    limits.cancel = cancel;
    FL_TRY(const Json file, Json::parseFile(path, limits));
    auto state = readTokenizer(file);
    if (!state)
        return Error{state.error().code, path + ": " + state.error().message};
    FL_DO(addConfig(folder, **state));
    return Tokenizer(*std::move(state));
}

}  // namespace fl::tokenizer
