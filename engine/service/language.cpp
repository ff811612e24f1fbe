// SPDX-License-Identifier: Apache-2.0
#include "engine/service/language.h"

#include <algorithm>

#include <fmt/core.h>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/protocol/codec.h"
#include "engine/service/chat_script.h"
#include "engine/tokenizer/chat_prompt.h"
#include "engine/tokenizer/template_options.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::service {

namespace {

void addId(std::vector<int>& ids, std::int64_t id) {
    if (id >= 0 && std::find(ids.begin(), ids.end(), static_cast<int>(id)) == ids.end())
        ids.push_back(static_cast<int>(id));
}

// Only what the file says: its other settings are the engine's own.
protocol::Sampling suggestedSampling(const Json& config) {
    protocol::Sampling out;
    if (config["do_sample"].isBool() && !config["do_sample"].boolean())
        return out;
    if (config["temperature"].isNumber())
        out.temperature = config["temperature"].number();
    if (config["top_k"].isInteger())
        out.topK = static_cast<int>(config["top_k"].integer());
    if (config["top_p"].isNumber())
        out.topP = config["top_p"].number();
    if (config["min_p"].isNumber())
        out.minP = config["min_p"].number();
    return out;
}

// Options by name, each one that the renderer knows.
Status checkOptions(const Json& options, const protocol::ChatInfo& info) {
    if (options.isNull())
        return Done{};
    if (!options.isObject())
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("options are {}, expected an object", options.kindName())};
    std::vector<std::string> names;
    for (const protocol::TemplateOption& option : info.options)
        names.push_back(option.name);
    for (const auto& [name, value] : options.members()) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            return Error{
                ErrorCode::InvalidArgument,
                fmt::format("the {} of this model has no option '{}'{}: it knows {}",
                            info.renderer == "recipe" ? "chat script" : "chat template", name,
                            nearest(name, names), names.empty() ? "none" : join(names, ", "))};
    }
    return Done{};
}

Json messagesOf(const protocol::ChatRequest& request) {
    if (!request.conversation.isNull())
        return request.conversation;
    return protocol::encode(request.messages);
}

}  // namespace

Language Language::load(const checkpoint::Checkpoint& checkpoint,
                        const std::string& script,
                        const CancelToken& cancel) {
    Language out;
    auto tokenizer = checkpoint.format == checkpoint::Format::Gguf
                         ? tokenizer::Tokenizer::fromGguf(checkpoint.metadata)
                         : tokenizer::Tokenizer::fromFolder(checkpoint.folder, cancel);
    if (tokenizer)
        out.tokenizer_ = std::move(*tokenizer);
    else
        out.problem_ = tokenizer.error().message;
    out.readStops(checkpoint);
    out.info_.suggested = suggestedSampling(checkpoint.generationConfig);
    out.describe(script);
    out.checkTemplateEnd(cancel);
    return out;
}

void Language::readStops(const checkpoint::Checkpoint& checkpoint) {
    if (tokenizer_) {
        Json ids = Json::array();
        for (const tokenizer::TokenId id : tokenizer_->eos())
            ids.push(std::int64_t{id});
        addStops(ids, "tokenizer");
    }
    addStops(checkpoint.generationConfig["eos_token_id"], "generation_config.json");
    if (stopIds_.empty())
        addStops(checkpoint.config["eos_token_id"], "config.json");
}

void Language::addStops(const Json& ids, const std::string& source) {
    std::vector<int> found;
    if (ids.isInteger())
        addId(found, ids.integer());
    for (const Json& item : ids.items())
        addId(found, item.integer(-1));
    for (const int id : found) {
        addId(stopIds_, id);
        auto known = std::find_if(info_.stops.begin(), info_.stops.end(),
                                  [id](const auto& stop) { return stop.id == id; });
        if (known == info_.stops.end()) {
            const std::string text = tokenizer_ ? tokenizer_->decode({id}, false) : "";
            known = info_.stops.insert(known, {id, text, {}});
        }
        known->sources.push_back(source);
    }
}

// Says which renderer is taken: the checkpoint's template, else the recipe's script, else none.
void Language::describe(const std::string& script) {
    info_.reply = "raw";
    if (!tokenizer_) {
        info_.source = "no tokenizer: " + problem_;
        return;
    }
    const std::string& source = tokenizer_->chatTemplate();
    if (!source.empty()) {
        info_.renderer = "template";
        info_.source = "the checkpoint's chat template";
        const auto known = tokenizer::templateOptions(source);
        if (!known) {
            info_.source = known.error().message;
            return;
        }
        info_.reply = tokenizer::replyFormat(source);
        info_.takesTools = known->takesTools;
        info_.takesDocuments = known->takesDocuments;
        for (const tokenizer::TemplateOption& option : known->options)
            info_.options.push_back(
                {option.name, option.kind, option.fallback, option.values, option.line});
        return;
    }
    if (script.empty()) {
        info_.source = "the checkpoint has no chat template, and its recipe no script in its stead";
        return;
    }
    const auto facts = scriptFacts(resourcesDir(), script);
    if (!facts) {
        info_.source = facts.error().message;
        return;
    }
    script_ = script;
    info_.renderer = "recipe";
    info_.source = script;
    info_.options = facts->options;
    info_.reply = facts->reply;
    info_.takesTools = true;
}

// The control token that the template writes behind an assistant's message ends an answer; where
// generation does not stop at it, answers run on.
void Language::checkTemplateEnd(const CancelToken& cancel) {
    if (info_.renderer != "template")
        return;
    constexpr std::string_view kMark = "what the assistant said";
    Json messages = Json::array();
    messages.push(Json::object().set("role", "user").set("content", "x"));
    messages.push(Json::object().set("role", "assistant").set("content", std::string(kMark)));
    tokenizer::ChatOptions options;
    options.addGenerationPrompt = false;
    options.limits = tokenizer::templateCheckLimits();
    options.limits.cancel = cancel;
    const auto text = tokenizer::renderChat(*tokenizer_, messages, options);
    if (!text)
        return;
    const std::size_t at = text->rfind(kMark);
    if (at == std::string::npos)
        return;
    const auto ids = encode(text->substr(at + kMark.size()));
    if (!ids || ids->empty() || !tokenizer_->isSpecial(ids->front()))
        return;
    const int id = ids->front();
    const auto known = std::find_if(info_.stops.begin(), info_.stops.end(),
                                    [id](const auto& stop) { return stop.id == id; });
    if (known != info_.stops.end()) {
        known->sources.emplace_back("template");
        return;
    }
    std::string stops;
    for (const protocol::StopCondition& stop : info_.stops)
        stops += fmt::format("{}{} ({})", stops.empty() ? "" : ", ", stop.id, stop.text);
    Finding finding;
    finding.code = "chat-stop-missing";
    finding.severity = Severity::Warning;
    finding.stage = "inspect";
    finding.file = "generation_config.json";
    finding.key = "eos_token_id";
    finding.message =
        "the chat template ends an answer with a token that does not end generation: answers may "
        "run on";
    finding.expected = fmt::format("{} ({}) among the ids that end an answer", id,
                                   tokenizer_->decode({id}, false));
    finding.found = stops.empty() ? "none" : stops;
    finding.remedy = "add the id to eos_token_id, or give its text as a stop string";
    findings_.push_back(std::move(finding));
}

Result<std::vector<int>> Language::encode(const std::string& text) const {
    if (!tokenizer_)
        return Error{ErrorCode::NotFound, "no tokenizer: " + problem_};
    tokenizer::EncodeOptions options;
    options.special = tokenizer::Special::Parse;
    FL_TRY(const auto ids, tokenizer_->encode(text, options));
    return std::vector<int>(ids.begin(), ids.end());
}

Status Language::renderByScript(const protocol::ChatRequest& request,
                                const Json& messages,
                                const CancelToken& cancel,
                                Prompt& out) const {
    if (request.continueFinalMessage || !request.documents.isNull())
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("the chat script of this model {}",
                                 request.continueFinalMessage ? "cannot continue a message"
                                                              : "takes no documents")};
    const ScriptInput input{messages, request.tools, request.options};
    FL_TRY(const auto parts, runChatScript(resourcesDir(), script_, input, cancel));
    // Part by part: what a user typed can then never be read as a control token.
    for (const PromptPart& part : parts) {
        tokenizer::EncodeOptions options;
        options.special = part.control ? tokenizer::Special::Parse : tokenizer::Special::Text;
        FL_TRY(const auto ids, tokenizer_->encode(part.text, options));
        out.ids.insert(out.ids.end(), ids.begin(), ids.end());
        out.text += part.text;
    }
    return Done{};
}

Status Language::render(const protocol::ChatRequest& request,
                        const CancelToken& cancel,
                        Prompt& out) const {
    if (!tokenizer_)
        return Error{ErrorCode::NotFound, "no tokenizer: " + problem_};
    out.renderer = info_.renderer;
    if (info_.renderer == "none")
        return Error{ErrorCode::InvalidArgument, info_.source + ": send a raw prompt"};
    FL_DO(checkOptions(request.options, info_));
    const Json messages = messagesOf(request);
    FL_DO(tokenizer::checkMessages(messages));
    if (info_.renderer == "recipe")
        return renderByScript(request, messages, cancel, out);
    tokenizer::ChatOptions options;
    options.tools = request.tools;
    options.documents = request.documents;
    options.variables = request.options;
    options.continueFinalMessage = request.continueFinalMessage;
    options.addGenerationPrompt = !request.continueFinalMessage;
    options.limits.cancel = cancel;
    FL_TRY(out.text, tokenizer::renderChat(*tokenizer_, messages, options));
    FL_TRY(out.ids, encode(out.text));
    return Done{};
}

Result<Prompt> Language::promptFor(const protocol::ChatRequest& request,
                                   const CancelToken& cancel) const {
    Prompt out;
    const bool talks = !request.messages.empty() || !request.conversation.isNull();
    const int given = static_cast<int>(talks) + static_cast<int>(!request.raw.empty()) +
                      static_cast<int>(!request.ids.empty());
    if (given == 0)
        return Error{ErrorCode::InvalidArgument,
                     "the prompt is empty: give messages, raw text or ids"};
    if (given > 1 || (!request.messages.empty() && !request.conversation.isNull()))
        return Error{ErrorCode::InvalidArgument,
                     "give either messages or raw text or ids, not several of them"};
    if (!request.ids.empty()) {
        out.ids = request.ids;
        out.renderer = "ids";
        return out;
    }
    if (talks) {
        FL_DO(render(request, cancel, out));
    } else {
        out.text = request.raw;
        out.renderer = "raw";
        FL_TRY(out.ids, encode(out.text));
    }
    if (out.ids.empty())
        return Error{ErrorCode::InvalidArgument, "the prompt is empty: its text has no tokens"};
    return out;
}

tokenizer::ReplyReader Language::replyReader(const Prompt& prompt) const {
    // A raw prompt is nobody's format.
    const bool talks = prompt.renderer == "template" || prompt.renderer == "recipe";
    return {talks ? info_.reply : "raw", tokenizer::opensReasoning(info_.reply, prompt.text)};
}

protocol::ChatStarted Language::started(const std::string& request, const Prompt& prompt) const {
    protocol::ChatStarted out;
    out.request = request;
    out.prompt = prompt.text;
    out.renderer = prompt.renderer;
    out.inputIds = prompt.ids;
    if (!tokenizer_)
        return out;
    for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
        out.inputTexts.push_back(tokenizer_->decode({prompt.ids[i]}, false));
        if (tokenizer_->isSpecial(prompt.ids[i]))
            out.specials.push_back(static_cast<int>(i));
    }
    return out;
}

}  // namespace fl::service
