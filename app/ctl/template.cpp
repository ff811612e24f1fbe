// SPDX-License-Identifier: Apache-2.0
// firstlightctl template: the prompt that a checkpoint's template, or its recipe's script, makes of
// messages. Needs only those files of the folder.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/paths.h"
#include "engine/recipe/recipe_set.h"
#include "engine/service/chat_script.h"
#include "engine/tokenizer/chat_prompt.h"

namespace fl::app {

namespace {

struct TemplateVerb {
    std::string folder;
    std::string messages;
    std::string batch;
    std::string now;
    std::string variables;
};

// By what a folder renders.
struct Renderer {
    tokenizer::FolderTemplate chat;
    std::string script;  // where there is no template
    std::string now;
};

Result<std::string> scriptOf(const std::string& folder) {
    const std::string path = folder + "/config.json";
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
        return std::string();
    FL_TRY(const Json model, Json::parseFile(path));
    FL_TRY(const auto recipes, recipe::RecipeSet::open(resourcesDir()));
    const recipe::Recipe* found = recipes.byConfig(model);
    return found != nullptr ? found->chat : std::string();
}

Result<Renderer> rendererOf(const TemplateVerb& verb) {
    Renderer out;
    out.now = verb.now;
    FL_TRY(out.chat, tokenizer::readFolderTemplate(verb.folder));
    if (!verb.variables.empty()) {
        FL_TRY(const Json given, Json::parseFile(verb.variables));
        const Json* tokens = given.find("special_tokens");
        out.chat.specialTokens = tokens != nullptr ? *tokens : given;
    }
    if (!out.chat.source.empty())
        return out;
    FL_TRY(out.script, scriptOf(verb.folder));
    if (out.script.empty())
        return Error{ErrorCode::NotFound,
                     fmt::format("{}: no chat_template.jinja, no chat_template in "
                                 "tokenizer_config.json, and no script in their stead",
                                 verb.folder)};
    return out;
}

Result<std::string> renderLine(const Renderer& renderer, const Json& line) {
    const bool generate =
        line["add_generation_prompt"].isNull() || line["add_generation_prompt"].boolean();
    Json variables = line["kwargs"];
    if (variables.isNull())
        variables = line["options"];
    if (renderer.chat.source.empty()) {
        FL_DO(tokenizer::checkMessages(line["messages"]));
        const service::ScriptInput input{line["messages"], line["tools"], variables, generate};
        FL_TRY(const auto parts, service::runChatScript(resourcesDir(), renderer.script, input));
        std::string out;
        for (const service::PromptPart& part : parts)
            out += part.text;
        return out;
    }
    tokenizer::ChatOptions options;
    options.continueFinalMessage = line["continue_final_message"].boolean();
    options.addGenerationPrompt =
        generate && !(options.continueFinalMessage && line["add_generation_prompt"].isNull());
    options.tools = line["tools"];
    options.documents = line["documents"];
    options.variables = variables;
    options.clock = renderer.now;
    return tokenizer::renderChat(renderer.chat.source, renderer.chat.specialTokens,
                                 line["messages"], options);
}

// {text} or {error: {message, line, column}}
Json resultOf(const Result<std::string>& text) {
    Json out = Json::object();
    if (text)
        return out.set("text", *text);
    Json error = Json::object();
    error.set("message", text.error().message);
    int line = 0;
    int column = 0;
    if (std::sscanf(text.error().message.c_str(), "chat template line %d, column %d:", &line,
                    &column) == 2)
        error.set("line", std::int64_t{line}).set("column", std::int64_t{column});
    return out.set("error", std::move(error));
}

Result<int> runBatch(const Renderer& renderer, const std::string& path) {
    std::ifstream file(path);
    if (path != "-" && !file)
        return Error{ErrorCode::NotFound, path + ": cannot be read"};
    std::istream& lines = path == "-" ? std::cin : file;
    int number = 0;
    for (std::string text; std::getline(lines, text);) {
        ++number;
        if (text.empty())
            continue;
        const auto line = Json::parse(text);
        if (!line)
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{}, line {}: {}", path, number, line.error().message)};
        fmt::print("{}\n", resultOf(renderLine(renderer, *line)).dump());
    }
    return kFine;
}

Result<int> run(const Context& context, const TemplateVerb& verb) {
    if (verb.messages.empty() == verb.batch.empty())
        return Error{ErrorCode::InvalidArgument, "give either --messages or --batch"};
    FL_TRY(const Renderer renderer, rendererOf(verb));
    if (!verb.batch.empty())
        return runBatch(renderer, verb.batch);
    FL_TRY(Json line, Json::parseFile(verb.messages));
    if (line.isArray())
        line = Json::object().set("messages", Json(line));
    const auto text = renderLine(renderer, line);
    if (context.json) {
        std::vector<Finding> findings;
        if (!text)
            findings.push_back(fromError(text.error(), "template-failed", "probe"));
        return finishJson(resultOf(text), findings);
    }
    if (!text) {
        fmt::print(stderr, "firstlightctl: {}\n", text.error().message);
        return kNegative;
    }
    fmt::print("{}", *text);
    return kFine;
}

}  // namespace

void addTemplate(CLI::App& program, Context& context) {
    CLI::App* verb = addVerb(program, context, "template", "The prompt that messages become");
    const auto options = std::make_shared<TemplateVerb>();
    verb->add_option("CHECKPOINT", options->folder, "Folder of the model")->required();
    verb->add_option("--messages", options->messages,
                     "JSON list of messages, or {messages, tools, documents, options}");
    verb->add_option("--batch", options->batch,
                     "Lines {messages, tools, documents, add_generation_prompt, "
                     "continue_final_message, kwargs}; - is standard input");
    verb->add_option("--now", options->now, "Clock of strftime_now, YYYY-MM-DDTHH:MM:SS");
    verb->add_option("--variables", options->variables, "JSON file of special tokens");
    verb->footer("Example: firstlightctl template MODEL --messages talk.json");
    verb->callback([&context, options] {
        context.run = [&context, options] { return run(context, *options); };
    });
}

}  // namespace fl::app
