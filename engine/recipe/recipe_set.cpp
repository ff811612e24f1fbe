// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/recipe_set.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/text.h"
#include "engine/recipe/graph_builder.h"
#include "engine/recipe/lua_state.h"

namespace fl::recipe {

namespace {

constexpr std::int64_t kMaxRecipeBytes = std::int64_t{1} << 20;

std::vector<std::string> textList(const Json& list) {
    std::vector<std::string> out;
    for (const Json& item : list.items())
        out.push_back(item.string());
    return out;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

Finding recipeFailed(const Error& error, const std::string& file, bool hasConfig = false) {
    Finding finding = fromError(error, "recipe-failed", "inspect");
    finding.file = file;
    finding.remedy = hasConfig
                         ? "correct the recipe, or the numbers of the configuration it works on"
                         : "correct the recipe";
    return finding;
}

LuaLimits limitsWith(const CancelToken& cancel) {
    LuaLimits limits;
    limits.cancel = cancel;
    return limits;
}

}  // namespace

LuaState::ModuleSource moduleSource(const std::string& resources, const std::string& file) {
    return [resources, file](const std::string& module) -> Result<LuaSource> {
        std::string path = file;
        const std::string prefix = "firstlight.";
        if (module != "recipe") {
            const std::string word =
                module.compare(0, prefix.size(), prefix) == 0 ? module.substr(prefix.size()) : "";
            const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || c == '_';
            });
            if (!plain)
                return Error{ErrorCode::NotFound, "no module '" + module + "' for recipes"};
            path = resources + "/lua/firstlight/" + word + ".lua";
        }
        FL_TRY(std::string text, readFile(path, kMaxRecipeBytes));
        return LuaSource{std::filesystem::path(path).filename().string(), std::move(text)};
    };
}

Result<Recipe> RecipeSet::read(const std::string& resources,
                               const std::string& file,
                               const CancelToken& cancel) {
    FL_TRY(auto state, LuaState::create(limitsWith(cancel), moduleSource(resources, file)));
    FL_TRY(const Json said, state.call("firstlight.driver", "describe", Json()));
    Recipe recipe;
    recipe.name = said["name"].string();
    recipe.file = file;
    recipe.architectures = textList(said["architectures"]);
    recipe.chat = said["chat"].string();
    recipe.modelTypes = textList(said["model_types"]);
    recipe.gguf = said["gguf"];
    recipe.ggufArchitecture = recipe.gguf["architecture"].string();
    FL_TRY(recipe.rules, readConfigRules(said));
    return recipe;
}

Result<RecipeSet> RecipeSet::open(const std::string& resources, const CancelToken& cancel) {
    namespace fs = std::filesystem;
    std::error_code code;
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(resources + "/models", code)) {
        if (entry.path().extension() == ".lua")
            files.push_back(entry.path().string());
    }
    if (code)
        return Error{ErrorCode::Io, resources + "/models: " + code.message()};
    std::sort(files.begin(), files.end());
    RecipeSet set;
    for (const std::string& file : files) {
        FL_DO(cancel.check("recipes"));
        auto recipe = read(resources, file, cancel);
        if (recipe)
            set.recipes_.push_back(*std::move(recipe));
        else
            set.broken_.push_back(recipeFailed(recipe.error(), file));
    }
    return set;
}

const Recipe* RecipeSet::byName(const std::string& name) const {
    for (const Recipe& recipe : recipes_) {
        if (recipe.name == name)
            return &recipe;
    }
    return nullptr;
}

// The architecture decides; the model type only where a configuration names no architecture.
const Recipe* RecipeSet::byConfig(const Json& config) const {
    const Json& architectures = config["architectures"];
    const bool named = std::any_of(architectures.items().begin(), architectures.items().end(),
                                   [](const Json& each) { return each.isString(); });
    for (const Recipe& recipe : recipes_) {
        for (const Json& architecture : architectures.items()) {
            if (contains(recipe.architectures, architecture.string()))
                return &recipe;
        }
        if (!named && contains(recipe.modelTypes, config["model_type"].string()))
            return &recipe;
    }
    return nullptr;
}

const Recipe* RecipeSet::byGguf(const std::string& architecture) const {
    for (const Recipe& recipe : recipes_) {
        if (!architecture.empty() && recipe.ggufArchitecture == architecture)
            return &recipe;
    }
    return nullptr;
}

Finding RecipeSet::unknownArchitecture(const std::string& found) const {
    std::vector<std::string> known;
    for (const Recipe& recipe : recipes_) {
        known.insert(known.end(), recipe.architectures.begin(), recipe.architectures.end());
        known.push_back(recipe.name);
    }
    Finding finding;
    finding.code = "architecture-unknown";
    finding.stage = "inspect";
    finding.message = found.empty()
                          ? "the configuration names no architecture"
                          : "no recipe knows architecture '" + found + "'" + nearest(found, known);
    finding.key = "architectures";
    finding.found = found;
    finding.expected = join(known, ", ");
    finding.remedy = "name a recipe with --recipe, or write one in resources/models";
    return finding;
}

BuiltGraph buildGraph(const std::string& resources,
                      const Recipe& recipe,
                      const Json& config,
                      bool ggufNames,
                      const checkpoint::Inventory* inventory,
                      const CancelToken& cancel) {
    BuiltGraph built;
    GraphBuilder builder(recipe.name, inventory);
    const auto run = [&]() -> Result<graph::Graph> {
        FL_TRY(auto state,
               LuaState::create(limitsWith(cancel), moduleSource(resources, recipe.file)));
        builder.bindTo(state);
        Json argument = Json::object();
        argument.set("config", config).set("gguf", ggufNames);
        FL_DO(state.call("firstlight.driver", "build", argument));
        return builder.take();
    };
    Result<graph::Graph> graph = run();
    built.problems = builder.problems();
    // Behind a problem with the configuration the recipe works on stand-ins: what fails then says
    // nothing new.
    if (!graph && !hasErrors(built.problems))
        built.problems.push_back(recipeFailed(graph.error(), recipe.file, true));
    if (graph && !hasErrors(built.problems))
        built.graph = *std::move(graph);
    return built;
}

}  // namespace fl::recipe
