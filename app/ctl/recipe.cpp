// SPDX-License-Identifier: Apache-2.0
// firstlightctl recipe check: a recipe against a config, or a folder with weights. firstlightctl
// recipe new: a first recipe for an architecture that none knows.
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/file_watch.h"
#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/model.h"
#include "engine/recipe/recipe_draft.h"

namespace fl::app {

namespace {

struct CheckVerb {
    std::string recipe;
    std::string config;
    bool watch = false;
};

struct NewVerb {
    std::string config;
    std::string name;
    std::string out;
};

Json graphDocument(const graph::Graph& graph) {
    std::map<std::string, std::int64_t> counts;
    for (const graph::Node& node : graph.nodes)
        ++counts[node.op];
    Json ops = Json::object();
    for (const auto& [op, count] : counts)
        ops.append(op, count);
    Json out = Json::object();
    out.append("nodes", static_cast<std::int64_t>(graph.nodes.size()));
    out.append("layers", graph.layerCount);
    out.append("distinct_layers", graph::distinctLayers(graph));
    out.append("ops", std::move(ops));
    return out;
}

Json statesDocument(const graph::Graph& graph) {
    Json out = Json::array();
    for (const graph::State& state : graph.states) {
        Json one = Json::object();
        one.append("name", state.name);
        one.append("kind", state.kind == graph::State::Kind::Paged ? "paged" : "fixed");
        one.append("elements", state.elements);
        one.append("layer", state.layer);
        out.push(std::move(one));
    }
    return out;
}

Json contractDocument(const recipe::Contract& contract) {
    Json out = Json::object();
    out.append("matched", contract.matched);
    out.append("missing", contract.missing);
    out.append("unexpected", contract.unexpected);
    out.append("ignored", contract.ignored);
    return out;
}

int show(const Context& context,
         const recipe::RecipeCheck& result,
         const recipe::Contract* contract) {
    if (context.json) {
        Json out = Json::object();
        out.append("recipe", result.recipe);
        out.append("graph", graphDocument(result.graph));
        out.append("states", statesDocument(result.graph));
        if (contract)
            out.append("contract", contractDocument(*contract));
        return finishJson(std::move(out), result.findings);
    }
    if (contract)
        fmt::print(
            "recipe {}: {} layers, {} distinct; {} matched, {} missing, {} unexpected, {} "
            "ignored\n",
            result.recipe, result.graph.layerCount, graph::distinctLayers(result.graph),
            contract->matched, contract->missing, contract->unexpected, contract->ignored);
    else
        fmt::print("{}", graph::dump(result.graph));
    return finishText(result.findings);
}

std::string fileOf(const CheckVerb& verb) {
    return verb.recipe.ends_with(".lua")
               ? verb.recipe
               : fmt::format("{}/models/{}.lua", resourcesDir(), verb.recipe);
}

bool isFolder(const std::string& path) {
    std::error_code problem;
    return std::filesystem::is_directory(path, problem);
}

Result<int> checkOnce(const Context& context, const CheckVerb& verb) {
    const std::string file = fileOf(verb);
    if (isFolder(verb.config) || verb.config.ends_with(".gguf")) {
        FL_TRY(const auto checkpoint, checkpoint::openCheckpoint(verb.config, context.cancel));
        FL_TRY(recipe::Model model, recipe::buildModel(checkpoint, file, context.cancel));
        recipe::RecipeCheck result{model.recipe, std::move(model.graph), std::move(model.findings)};
        return show(context, result, &model.contract);
    }
    FL_TRY(const Json config, Json::parseFile(verb.config));
    FL_TRY(const recipe::RecipeCheck result, recipe::checkRecipe(file, config, context.cancel));
    return show(context, result, nullptr);
}

// Again whenever the recipe is saved, until Ctrl+C. A recipe that cannot be read is said and
// watched on.
Result<int> check(const Context& context, const CheckVerb& verb) {
    if (!verb.watch)
        return checkOnce(context, verb);
    FL_TRY(FileWatch watch, FileWatch::open(fileOf(verb)));
    do {
        const auto code = checkOnce(context, verb);
        if (!code)
            fmt::print(stderr, "firstlightctl: {}\n", code.error().message);
        std::fflush(stdout);
    } while (watch.wait(context.cancel));
    return Error{ErrorCode::Cancelled, "cancelled"};
}

Json wordsDocument(const std::vector<std::string>& words) {
    Json out = Json::array();
    for (const std::string& word : words)
        out.push(word);
    return out;
}

Json draftDocument(const recipe::RecipeDraft& draft) {
    const recipe::Likeness& nearest = draft.nearest;
    Json open = Json::object();
    open.append("keys", wordsDocument(nearest.openKeys));
    open.append("tensors", wordsDocument(nearest.openTensors));
    Json lacking = Json::object();
    lacking.append("keys", wordsDocument(nearest.lackingKeys));
    lacking.append("tensors", wordsDocument(nearest.lackingTensors));
    Json mapped = Json::object();
    mapped.append("keys", nearest.keys);
    mapped.append("tensors", nearest.tensors);
    Json out = Json::object();
    out.append("recipe", draft.name);
    out.append("nearest", draft.nearestName);
    out.append("likeness", nearest.score);
    out.append("mapped", std::move(mapped));
    out.append("open", std::move(open));
    out.append("lacking", std::move(lacking));
    out.append("text", draft.text);
    return out;
}

Result<int> draft(const Context& context, const NewVerb& verb) {
    checkpoint::Checkpoint checkpoint;
    if (isFolder(verb.config)) {
        FL_TRY(checkpoint, checkpoint::openCheckpoint(verb.config, context.cancel));
    } else {
        FL_TRY(checkpoint.config, Json::parseFile(verb.config));
    }
    FL_TRY(const recipe::RecipeDraft made,
           recipe::draftRecipe(checkpoint.config, checkpoint.inventory, verb.name));
    if (!verb.out.empty())
        FL_DO(recipe::saveDraft(made, verb.out));
    if (context.json)
        return finishJson(draftDocument(made), {});
    if (verb.out.empty())
        fmt::print("{}", made.text);
    else
        fmt::print("{}: a copy of {}; {} keys and {} tensor names are new\n", verb.out,
                   made.nearestName, made.nearest.openKeys.size(), made.nearest.openTensors.size());
    return 0;
}

}  // namespace

void addRecipe(CLI::App& program, Context& context) {
    CLI::App* recipe = program.add_subcommand("recipe", "Recipes: descriptions of architectures");
    recipe->require_subcommand(1);
    CLI::App* verb = addVerb(*recipe, context, "check", "A recipe against a configuration");
    const auto options = std::make_shared<CheckVerb>();
    verb->add_option("RECIPE", options->recipe, "Name, or .lua file")->required();
    verb->add_option("CONFIG", options->config,
                     "config.json; or a folder or .gguf file, whose tensors are compared too")
        ->required();
    verb->add_flag("--watch", options->watch, "Again whenever the recipe is saved, until Ctrl+C");
    verb->footer("Example: firstlightctl recipe check nova.lua MODEL --watch");
    verb->callback([&context, options] {
        context.run = [&context, options] { return check(context, *options); };
    });
    CLI::App* fresh = addVerb(*recipe, context, "new",
                              "A first recipe for an unknown architecture, from the nearest one");
    const auto made = std::make_shared<NewVerb>();
    fresh->add_option("CONFIG", made->config, "config.json, or a folder with weights")->required();
    fresh->add_option("--name", made->name, "The recipe's name (default: the model type)");
    fresh->add_option("--out", made->out, "File to write (default: standard output)");
    fresh->footer("Example: firstlightctl recipe new MODEL --out nova.lua");
    fresh->callback(
        [&context, made] { context.run = [&context, made] { return draft(context, *made); }; });
}

}  // namespace fl::app
