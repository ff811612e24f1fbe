// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/check_report.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::tokenizer {

namespace {

Json sampleVariables() {
    Json message = Json::object();
    message.set("role", "user").set("content", "x");
    Json variables = Json::object();
    variables.set("messages", Json::array().push(std::move(message)));
    variables.set("add_generation_prompt", true).set("bos_token", "<s>").set("eos_token", "</s>");
    return variables;
}

// ".__class__": the way out of a sandbox, and no template's business.
std::string privateAttribute(std::string_view source) {
    for (std::size_t at = source.find(".__"); at != std::string_view::npos;
         at = source.find(".__", at + 1)) {
        std::size_t end = at + 3;
        while (end < source.size() &&
               ((source[end] >= 'a' && source[end] <= 'z') || source[end] == '_'))
            ++end;
        if (end > at + 3)
            return std::string(source.substr(at + 1, end - at - 1));
    }
    return "";
}

}  // namespace

TemplateLimits templateCheckLimits() {
    TemplateLimits limits;
    limits.steps = 500'000;
    limits.outputBytes = std::int64_t{1} << 20;
    return limits;
}

std::vector<Finding> checkTemplate(std::string_view source,
                                   const std::string& fileName,
                                   const std::string& key) {
    CheckReport report(fileName);
    const auto refuse = [&](std::string_view what, std::string expected, std::string found) {
        report.wrong("chat-template", key, what, std::move(expected), std::move(found)).remedy =
            "correct the template, or fetch the file again";
    };
    if (utf8Fault(source) != std::string_view::npos) {
        refuse("is not UTF-8", "UTF-8", "other bytes");
        return report.take();
    }
    const std::string reached = privateAttribute(source);
    if (!reached.empty()) {
        refuse("reaches for the inside of the interpreter", "no private attribute", reached);
        return report.take();
    }
    const auto parsed = ChatTemplate::parse(source);
    if (!parsed) {
        refuse("cannot be parsed", "a template", parsed.error().message);
        return report.take();
    }
    const auto text =
        parsed->render(sampleVariables(), "2025-01-01T12:00:00", templateCheckLimits());
    if (text)
        return report.take();
    const ErrorCode code = text.error().code;
    if (code == ErrorCode::Timeout || code == ErrorCode::OutOfMemory)
        refuse("has no end", "bounded output", text.error().message);
    else if (code == ErrorCode::Unsupported)
        refuse("asks for what no template can have", "known filters and tests",
               text.error().message);
    return report.take();
}

}  // namespace fl::tokenizer
