// SPDX-License-Identifier: Apache-2.0
#include "engine/tokenizer/chat_prompt.h"

#include <array>
#include <ctime>

#include <fmt/core.h>

#include "engine/tokenizer/template_strings.h"

namespace fl::tokenizer {

namespace {

// Marks the end of the message that goes on. The space shows whether the template trims.
constexpr std::string_view kContinueTag = "CONTINUE_FINAL_MESSAGE_TAG ";
// Names under which reasoning is passed; the first is the one that templates read.
constexpr std::array<const char*, 3> kReasoningKeys = {"reasoning_content", "thinking",
                                                       "reasoning"};

Error refuse(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

// Without keys whose value is null; reasoning under each name that templates read.
Json normalizedMessage(const Json& message) {
    const Json* reasoning = nullptr;
    for (const char* key : kReasoningKeys) {
        const Json& value = message[key];
        if (reasoning == nullptr && !value.isNull())
            reasoning = &value;
    }
    Json out = Json::object();
    if (reasoning != nullptr)
        out.set("thinking", *reasoning);
    for (const auto& [key, value] : message.members()) {
        if (!value.isNull())
            out.set(key, value);
    }
    if (reasoning != nullptr)
        out.set("reasoning_content", *reasoning);
    return out;
}

Json normalizedMessages(const Json& messages) {
    Json out = Json::array();
    for (const Json& message : messages.items())
        out.push(normalizedMessage(message));
    return out;
}

Result<Json> withTag(const Json& content) {
    if (content.isString())
        return Json(content.string() + std::string(kContinueTag));
    // The last text among the parts of a message.
    Json parts = Json::array();
    std::size_t lastText = content.size();
    for (std::size_t i = 0; i < content.items().size(); ++i) {
        if (content.items()[i]["text"].isString())
            lastText = i;
    }
    if (lastText == content.size())
        return refuse("the last message has no text that could go on");
    for (std::size_t i = 0; i < content.items().size(); ++i) {
        Json part = content.items()[i];
        if (i == lastText)
            part.set("text", part["text"].string() + std::string(kContinueTag));
        parts.push(std::move(part));
    }
    return parts;
}

Result<Json> withTaggedEnd(const Json& messages) {
    Json out = Json::array();
    for (std::size_t i = 0; i < messages.size(); ++i) {
        Json message = messages.items()[i];
        if (i + 1 == messages.size()) {
            FL_TRY(Json content, withTag(message["content"]));
            message.set("content", std::move(content));
        }
        out.push(std::move(message));
    }
    return out;
}

// Cuts the prompt where the tag stands; a template that trimmed its message trims the cut as well.
Result<std::string> cutAtTag(const std::string& prompt) {
    const std::string_view mark = kContinueTag.substr(0, kContinueTag.size() - 1);
    const std::size_t at = prompt.rfind(mark);
    if (at == std::string::npos)
        return refuse("the chat template does not show the last message, so it cannot go on");
    const std::string kept = prompt.substr(0, at);
    if (prompt.compare(at, kContinueTag.size(), kContinueTag) == 0)
        return kept;
    return jinja::strip(kept, {false, true, std::nullopt});
}

std::string localTime() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    return text.data();
}

Status checkOptions(std::string_view chatTemplate, const ChatOptions& options) {
    if (chatTemplate.empty())
        return refuse(
            "this model has no chat template (neither chat_template.jinja, nor chat_template in "
            "tokenizer_config.json, nor tokenizer.chat_template in a GGUF): send a raw prompt");
    if (options.continueFinalMessage && options.addGenerationPrompt)
        return refuse("a prompt cannot both continue the last message and begin an answer");
    if (options.continueFinalMessage && chatTemplate.find("content") == std::string_view::npos)
        return refuse("the chat template does not read the content of messages");
    if (!options.variables.isNull() && !options.variables.isObject())
        return refuse("the variables of a chat are no object");
    return Done{};
}

}  // namespace

Status checkMessages(const Json& messages) {
    if (!messages.isArray())
        return refuse(
            fmt::format("messages are {}, expected an array of objects", messages.kindName()));
    if (messages.items().empty())
        return refuse("there are no messages: a chat needs at least one");
    std::size_t number = 0;
    for (const Json& message : messages.items()) {
        if (!message.isObject())
            return refuse(fmt::format("message {} is {}, expected an object with a role", number,
                                      message.kindName()));
        if (!message["role"].isString())
            return refuse(fmt::format("message {} has no role", number));
        ++number;
    }
    return Done{};
}

Result<std::string> renderChat(std::string_view chatTemplate,
                               const Json& specialTokens,
                               const Json& messages,
                               const ChatOptions& options) {
    FL_DO(checkOptions(chatTemplate, options));
    FL_DO(checkMessages(messages));
    Json normal = normalizedMessages(messages);
    if (options.continueFinalMessage) {
        FL_TRY(normal, withTaggedEnd(normal));
    }
    Json variables = Json::object();
    for (const auto& [name, token] : specialTokens.members())
        variables.set(name, token);
    for (const auto& [name, value] : options.variables.members())
        variables.set(name, value);
    variables.set("messages", std::move(normal));
    variables.set("tools", options.tools);
    variables.set("documents", options.documents);
    variables.set("add_generation_prompt", options.addGenerationPrompt);
    FL_TRY(const ChatTemplate parsed, ChatTemplate::parse(chatTemplate));
    FL_TRY(std::string prompt,
           parsed.render(variables, options.clock.empty() ? localTime() : options.clock,
                         options.limits));
    return options.continueFinalMessage ? cutAtTag(prompt) : Result<std::string>(std::move(prompt));
}

Result<std::string> renderChat(const Tokenizer& tokenizer,
                               const Json& messages,
                               const ChatOptions& options) {
    Json specialTokens = Json::object();
    if (const std::string bos = tokenizer.bosText(); !bos.empty())
        specialTokens.set("bos_token", bos);
    if (const std::string eos = tokenizer.eosText(); !eos.empty())
        specialTokens.set("eos_token", eos);
    return renderChat(tokenizer.chatTemplate(), specialTokens, messages, options);
}

}  // namespace fl::tokenizer
