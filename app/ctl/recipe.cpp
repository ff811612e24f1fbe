// SPDX-License-Identifier: Apache-2.0
// firstlightctl recipe check: a recipe against a config, without weights.
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "app/ctl/context.h"
#include "engine/base/paths.h"
#include "engine/recipe/model.h"

namespace fl::app {

namespace {

struct CheckVerb {
    std::string recipe;
    std::string config;
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

Result<int> check(const Context& context, const CheckVerb& verb) {
    FL_TRY(const Json config, Json::parseFile(verb.config));
    const bool isFile = verb.recipe.ends_with(".lua");
    const std::string file =
        isFile ? verb.recipe : fmt::format("{}/models/{}.lua", resourcesDir(), verb.recipe);
    FL_TRY(const recipe::RecipeCheck result, recipe::checkRecipe(file, config, context.cancel));
    if (context.json) {
        Json out = Json::object();
        out.append("recipe", result.recipe);
        out.append("graph", graphDocument(result.graph));
        out.append("states", statesDocument(result.graph));
        return finishJson(std::move(out), result.findings);
    }
    fmt::print("{}", graph::dump(result.graph));
    return finishText(result.findings);
}

}  // namespace

void addRecipe(CLI::App& program, Context& context) {
    CLI::App* recipe = program.add_subcommand("recipe", "Recipes: descriptions of architectures");
    recipe->require_subcommand(1);
    CLI::App* verb = addVerb(*recipe, context, "check", "A recipe against a config.json");
    const auto options = std::make_shared<CheckVerb>();
    verb->add_option("RECIPE", options->recipe, "Name, or .lua file")->required();
    verb->add_option("CONFIG", options->config, "config.json")->required();
    verb->footer("Example: firstlightctl recipe check llama MODEL/config.json");
    verb->callback([&context, options] {
        context.run = [&context, options] { return check(context, *options); };
    });
}

}  // namespace fl::app
