// SPDX-License-Identifier: Apache-2.0
// Picks the tokenizer file of a folder and adds what the files beside it say.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/tokenizer/chat_prompt.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

constexpr std::int64_t kMaxFileBytes = std::int64_t{256} << 20;

bool isFile(const std::string& path) {
    std::error_code problem;
    return std::filesystem::exists(path, problem);
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

// A file of its own goes before tokenizer_config.json.
Result<std::string> templateOf(const std::string& folder, const Json& settings) {
    const std::string jinja = folder + "/chat_template.jinja";
    return isFile(jinja) ? readFile(jinja) : templateIn(settings["chat_template"]);
}

Result<std::optional<Json>> readIfPresent(const std::string& path) {
    if (!isFile(path))
        return std::optional<Json>();
    FL_TRY(Json file, Json::parseFile(path));
    return std::optional<Json>(std::move(file));
}

Status addConfig(const std::string& folder, const Json& settings, Tokenizer::State& state) {
    if (const std::string& bos = tokenText(settings["bos_token"]); !bos.empty())
        state.bos = state.vocabulary.findSpelling(bos);
    if (const std::string& eos = tokenText(settings["eos_token"]); !eos.empty())
        state.addEos(state.vocabulary.findSpelling(eos));
    FL_TRY(state.chatTemplate, templateOf(folder, settings));
    FL_TRY(const std::optional<Json> generation, readIfPresent(folder + "/generation_config.json"));
    if (generation) {
        const Json& eos = (*generation)["eos_token_id"];
        state.addEos(static_cast<TokenId>(eos.integer(-1)));
        for (const Json& id : eos.items())
            state.addEos(static_cast<TokenId>(id.integer(-1)));
        if (state.bos < 0)
            state.bos = static_cast<TokenId>((*generation)["bos_token_id"].integer(-1));
    }
    return Done{};
}

// Files named "….tiktoken", in order.
std::vector<std::string> rankFilesOf(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code problem;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem)) {
        if (at->path().extension() == ".tiktoken")
            names.push_back(at->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

Result<std::string> chosenFile(const std::string& folder, const std::string& wanted) {
    if (!wanted.empty())
        return wanted;
    if (std::string name = tokenizerFileIn(folder); !name.empty())
        return name;
    return Error{ErrorCode::NotFound,
                 fmt::format("{}/tokenizer.json is missing, and so are tekken.json, "
                             "tokenizer.model, tiktoken.model and *.tiktoken: without one of them "
                             "only ids go in and out",
                             folder)};
}

// Lines "IQ== 0" are a rank file whatever its name; a SentencePiece model begins with its first
// piece (field 1 of ModelProto).
bool isSentencePiece(std::string_view bytes) {
    return bytes.starts_with('\x0A');
}

Result<std::unique_ptr<Tokenizer::State>> readAny(const std::string& name,
                                                  std::string_view bytes,
                                                  const RankFileContext& context,
                                                  const CancelToken& cancel) {
    if (name.ends_with(".json")) {
        const bool isTekken = name.find("tekken") != std::string::npos;
        return isTekken ? readTekken(bytes, cancel) : readTokenizerJson(bytes, cancel);
    }
    if (isSentencePiece(bytes))
        return readSentencePiece(bytes, context.settings, cancel);
    return readRankFile(bytes, context, cancel);
}

}  // namespace

std::string tokenizerFileIn(const std::string& folder) {
    for (const char* name :
         {"tokenizer.json", "tekken.json", "tokenizer.model", "tiktoken.model"}) {
        if (isFile(folder + "/" + name))
            return name;
    }
    const std::vector<std::string> ranks = rankFilesOf(folder);
    return ranks.empty() ? std::string() : ranks.front();
}

Result<FolderTemplate> readFolderTemplate(const std::string& folder) {
    FL_TRY(const std::optional<Json> settings, readIfPresent(folder + "/tokenizer_config.json"));
    FolderTemplate out;
    for (const char* name : {"bos_token", "eos_token", "pad_token", "unk_token"}) {
        if (settings && !(*settings)[name].isNull())
            out.specialTokens.set(name, tokenText((*settings)[name]));
    }
    FL_TRY(out.source, templateOf(folder, settings ? *settings : Json()));
    return out;
}

Result<Tokenizer> Tokenizer::fromFolder(const std::string& folder, const LoadOptions& options) {
    FL_TRY(const std::string name, chosenFile(folder, options.file));
    const std::string path = folder + "/" + name;
    FL_TRY(const std::optional<Json> settings, readIfPresent(folder + "/tokenizer_config.json"));
    FL_TRY(const std::optional<Json> config, readIfPresent(folder + "/config.json"));
    const Json none;
    const RankFileContext context{name, options.split, settings ? *settings : none,
                                  config ? *config : none};
    FL_TRY(const std::string bytes, readFile(path, kMaxFileBytes));
    auto state = readAny(name, bytes, context, options.cancel);
    if (!state)
        return Error{state.error().code, path + ": " + state.error().message};
    (*state)->sourceFile = name;
    FL_DO(addConfig(folder, context.settings, **state));
    return Tokenizer(*std::move(state));
}

Result<Tokenizer> Tokenizer::fromFolder(const std::string& folder, const CancelToken& cancel) {
    LoadOptions options;
    options.cancel = cancel;
    return fromFolder(folder, options);
}

}  // namespace fl::tokenizer
