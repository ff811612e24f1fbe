// SPDX-License-Identifier: Apache-2.0
// The files beside tokenizer.json.
#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_map>

#include <fmt/core.h>

#include "engine/base/json_text.h"
#include "engine/base/text.h"
#include "engine/tokenizer/check_report.h"
#include "engine/tokenizer/tokenizer_check.h"
#include "engine/tokenizer/tokenizer_readers.h"

namespace fl::tokenizer {

namespace {

constexpr const char* kConfig = "tokenizer_config.json";
constexpr std::int64_t kMaxTemplateBytes = std::int64_t{16} << 20;

// A token is written as its text or as an object with `content`.
std::string tokenText(const Json& value) {
    return value.isObject() ? value["content"].string() : value.string();
}

using Tokens = std::unordered_map<std::string, std::int64_t>;

Tokens tokensOf(const Json& tokenizer) {
    Tokens out;
    for (const auto& [token, id] : tokenizer["model"]["vocab"].members())
        out.emplace(token, id.integer(-1));
    for (const Json& added : tokenizer["added_tokens"].items())
        out.emplace(added["content"].string(), added["id"].integer(-1));
    return out;
}

bool contains(const Json& ids, std::int64_t id) {
    const auto& items = ids.items();
    return ids.integer(-1) == id || std::any_of(items.begin(), items.end(), [id](const Json& each) {
               return each.integer(-1) == id;
           });
}

// The tokenizer classes of transformers, without "Tokenizer" and "TokenizerFast".
bool isKnownClass(std::string name) {
    constexpr std::array<std::string_view, 34> kStems = {
        "PreTrained",    "Llama",    "CodeLlama", "Qwen2",   "Qwen3",      "GPT2",       "GPTNeoX",
        "GPTSw3",        "Gemma",    "Cohere",    "Bloom",   "Bert",       "DistilBert", "Roberta",
        "XLMRoberta",    "T5",       "Codegen",   "CodeGen", "Falcon",     "MBart",      "Mistral",
        "MistralCommon", "Olmo",     "Phi",       "Granite", "DeepseekV3", "Deepseek",   "ChatGLM4",
        "TikToken",      "Nemotron", "Mamba",     "Rwkv6",   "Albert",     "OpenAIGPT"};
    for (const std::string_view ending : {"TokenizerFast", "Tokenizer"}) {
        if (!name.ends_with(ending))
            continue;
        name.resize(name.size() - ending.size());
        return std::find(kStems.begin(), kStems.end(), name) != kStems.end();
    }
    return name == "TokenizersBackend" || name == "MistralCommonBackend";
}

class ConfigCheck {
public:
    ConfigCheck(const Json& settings, const Tokens& tokens, const ModelIds& model)
        : settings_(settings),
          model_(model),
          tokens_(tokens) {}

    std::vector<Finding> run() {
        for (const char* key : {"bos_token", "eos_token", "pad_token", "unk_token"})
            special(key);
        length();
        tokenizerClass();
        chatTemplate();
        return report_.take();
    }

private:
    void special(const char* key) {
        const std::string text = tokenText(settings_[key]);
        if (text.empty() || tokens_.empty())
            return;
        const auto at = tokens_.find(text);
        if (at == tokens_.end()) {
            Finding& finding = report_.error("token-unknown", key, "is no token");
            finding.expected = "in the vocabulary";
            finding.found = text;
            return;
        }
        judgeAgainstModel(key, text, at->second);
    }

    // What config.json says in the key "eos_token_id" of `key` "eos_token".
    void judgeAgainstModel(std::string_view key, const std::string& text, std::int64_t id) {
        const Json& ids = key == "bos_token"   ? model_.bos
                          : key == "eos_token" ? model_.eos
                          : key == "pad_token" ? model_.pad
                                               : none_;
        if (ids.isNull() || contains(ids, id))
            return;
        const std::int64_t wanted = ids.integer(ids.item(0).integer(-1));
        const auto named = std::find_if(tokens_.begin(), tokens_.end(), [wanted](const auto& each) {
            return each.second == wanted;
        });
        if (named == tokens_.end())
            return;  // of an id that there is not, the check of config.json speaks
        const bool ends = key == "eos_token";
        Finding& finding = report_.warning(
            "token-contradiction", std::string(key),
            ends ? "is not what config.json ends answers with" : "is not that of config.json");
        finding.expected = fmt::format("{} (config.json: {})", named->first, wanted);
        finding.found = fmt::format("{} ({})", text, id);
        finding.remedy = ends ? "none needed: an answer ends at either"
                              : "none needed: the tokenizer's own is used";
    }

    void length() {
        const Json* const value = settings_.find("model_max_length");
        if (!value || !value->isNumber() || value->number() > 0)
            return;
        Finding& finding = report_.warning("tokenizer-value", "model_max_length", "is no length");
        finding.expected = "above 0";
        finding.found = foundText(*value);
    }

    void tokenizerClass() {
        const std::string& name = settings_["tokenizer_class"].string();
        // A class that comes with the checkpoint is never run either way.
        if (name.empty() || isKnownClass(name) || settings_["auto_map"].isObject())
            return;
        Finding& finding =
            report_.warning("tokenizer-value", "tokenizer_class", "is a class nobody knows");
        finding.expected = "a known class";
        finding.found = name;
        finding.remedy = "none needed: tokenizer.json says all";
    }

    void chatTemplate() {
        const Json* const value = settings_.find("chat_template");
        if (!value || value->isNull())
            return;
        if (value->isString() && value->string().empty()) {
            Finding& finding = report_.warning("chat-template", "chat_template", "is empty");
            finding.expected = "a template";
            finding.found = "empty";
        } else if (value->isString()) {
            report_.append(checkTemplate(value->string(), kConfig, "chat_template"));
        } else if (value->isArray()) {
            for (const Json& named : value->items())
                report_.append(checkTemplate(named["template"].string(), kConfig, "chat_template"));
        } else {
            Finding& finding = report_.error("chat-template", "chat_template", "is no text");
            finding.expected = "a text";
            finding.found = foundText(*value);
        }
    }

    const Json none_;
    const Json& settings_;
    const ModelIds& model_;
    const Tokens& tokens_;
    CheckReport report_{kConfig};
};

std::vector<Finding> checkGeneration(const std::string& folder, const ModelIds& model) {
    constexpr const char* kFile = "generation_config.json";
    CheckReport report(kFile);
    // Whether it is JSON is said where config.json is read.
    const JsonText file = readJsonText(folder, kFile, "config-json");
    if (!file.value || model.embeddingRows == 0)
        return {};
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
        const Json& value = (*file.value)[key];
        Json::Array ids = value.items();
        if (value.isInteger())
            ids.push_back(value);
        for (const Json& id : ids) {
            if (id.isInteger() && id.integer() < model.embeddingRows)
                continue;
            Finding& finding = report.error("token-unknown", key, "is past the embedding");
            finding.expected = fmt::format("< {}", model.embeddingRows);
            finding.found = foundText(id);
        }
    }
    return report.take();
}

std::vector<Finding> checkSpecialMap(const std::string& folder, const Tokens& tokens) {
    constexpr const char* kFile = "special_tokens_map.json";
    JsonText file = readJsonText(folder, kFile, "tokenizer-json");
    CheckReport report(kFile);
    if (!file.value) {
        // An empty one says nothing, and is common.
        std::erase_if(file.findings,
                      [](const Finding& each) { return each.found == "an empty object"; });
        return std::move(file.findings);
    }
    for (const auto& [key, value] : file.value->members()) {
        const std::string text = tokenText(value);
        if (text.empty() || tokens.empty() || tokens.contains(text))
            continue;
        Finding& finding = report.warning("token-unknown", key, "is no token");
        finding.expected = "in the vocabulary";
        finding.found = text;
    }
    return report.take();
}

// Of a folder whose tokenizer_config.json holds none.
std::vector<Finding> checkTemplateFile(const std::string& folder, bool hasOther) {
    CheckReport report(kConfig);
    for (const char* name : {"chat_template.jinja", "chat_template.json"}) {
        const auto text = readFile(folder + "/" + name, kMaxTemplateBytes);
        if (!text && text.error().code == ErrorCode::NotFound)
            continue;
        if (!text)
            report.error("chat-template", "chat_template", text.error().message);
        else if (std::string_view(name).ends_with(".jinja"))
            report.append(checkTemplate(*text, name, ""));
        return report.take();
    }
    if (!hasOther) {
        Finding& finding = report.warning("chat-template", "chat_template",
                                          "is missing: only raw prompts can be sent");
        finding.expected = "present";
        finding.found = "absent";
        finding.remedy = "fetch chat_template.jinja, or chat with raw prompts";
    }
    return report.take();
}

// In a form that has no tokenizer.json.
// Where no limit is meant the number is far beyond any length.
std::optional<std::int64_t> lengthOf(const Json& settings) {
    constexpr std::int64_t kNoLimit = 1'000'000'000;
    const std::int64_t length = settings["model_max_length"].integer();
    return length > 0 && length < kNoLimit ? std::optional(length) : std::nullopt;
}

SaidByTokenizer saidBy(const Json& settings, const Tokens& tokens) {
    SaidByTokenizer out;
    out.longest = lengthOf(settings);
    for (const char* key : {"bos_token", "eos_token", "pad_token"}) {
        const std::string text = tokenText(settings[key]);
        const auto at = tokens.find(text);
        if (!text.empty() && at != tokens.end())
            out.tokens[std::string(key) + "_id"] = {text, at->second};
    }
    return out;
}

// Without one a model can be inspected, planned and loaded; only ids go in and out.
std::vector<Finding> tokenizerMissing() {
    CheckReport report("tokenizer.json");
    Finding& finding = report.warning("tokenizer-missing", "",
                                      "is absent: the model takes and gives only token ids");
    finding.expected = "present";
    finding.found = "absent";
    return report.take();
}

}  // namespace

std::vector<Finding> checkTokenizerConfig(const Json& settings,
                                          const Json& tokenizer,
                                          const ModelIds& model) {
    const Tokens tokens = tokensOf(tokenizer);
    return ConfigCheck(settings, tokens, model).run();
}

TokenizerFiles checkTokenizerFiles(const std::string& folder, const ModelIds& model) {
    JsonText tokenizer = readJsonText(folder, "tokenizer.json", "tokenizer-json");
    JsonText settings = readJsonText(folder, kConfig, "tokenizer-json");
    TokenizerFiles out{std::move(tokenizer.findings), {}};
    const auto append = [&out](std::vector<Finding> more) {
        for (Finding& each : more)
            out.findings.push_back(std::move(each));
    };
    if (tokenizer.value)
        append(checkTokenizerJson(*tokenizer.value, model));
    const Tokens tokens = tokenizer.value ? tokensOf(*tokenizer.value) : Tokens();
    if (tokenizer.absent && tokenizerFileIn(folder).empty())
        append(tokenizerMissing());
    append(std::move(settings.findings));
    if (settings.value)
        append(ConfigCheck(*settings.value, tokens, model).run());
    if (tokenizer.value || settings.value) {
        const bool has = settings.value && !(*settings.value)["chat_template"].isNull();
        append(checkTemplateFile(folder, has));
        append(checkSpecialMap(folder, tokens));
    }
    append(checkGeneration(folder, model));
    if (settings.value)
        out.said = saidBy(*settings.value, tokens);
    return out;
}

}  // namespace fl::tokenizer
