// SPDX-License-Identifier: Apache-2.0
// The recipes that are installed: one Lua file each in resources/models, with the modules of
// resources/lua beside them. Nothing about a model is known here.
#pragma once

#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/graph/graph.h"
#include "engine/recipe/config_rules.h"
#include "engine/recipe/lua_state.h"

namespace fl::recipe {

// What a recipe says about itself.
struct Recipe {
    std::string name;                        // "llama"
    std::string file;                        // path
    std::vector<std::string> architectures;  // of config.json: "LlamaForCausalLM"
    std::vector<std::string> modelTypes;     // of config.json: "llama"
    std::string ggufArchitecture;            // general.architecture; empty: no GGUF
    std::string
        chat;   // module that writes prompts where a checkpoint has no template; may be empty
    Json gguf;  // its `config`, `constants`, `harmless` and `tensors` tables
    ConfigRules rules;
};

struct BuiltGraph {
    graph::Graph graph;             // empty if there are errors among the problems
    std::vector<Finding> problems;  // with the configuration, or recipe-failed
};

class RecipeSet {
public:
    // Reads resources/models below `resources` (fl::resourcesDir()). A recipe that cannot be read
    // is left out and named in broken().
    static Result<RecipeSet> open(const std::string& resources, const CancelToken& cancel = {});
    // One recipe file alone, with the modules below `resources`.
    static Result<Recipe> read(const std::string& resources,
                               const std::string& file,
                               const CancelToken& cancel = {});

    const std::vector<Recipe>& recipes() const { return recipes_; }
    const std::vector<Finding>& broken() const { return broken_; }

    const Recipe* byName(const std::string& name) const;
    const Recipe* byConfig(const Json& config) const;
    const Recipe* byGguf(const std::string& architecture) const;

    // "architecture-unknown", naming the nearest that are known.
    Finding unknownArchitecture(const std::string& found) const;

private:
    std::vector<Recipe> recipes_;
    std::vector<Finding> broken_;
};

// "recipe" is `file`; "firstlight.<word>" a module below `resources`; nothing else exists.
LuaState::ModuleSource moduleSource(const std::string& resources, const std::string& file);

// Runs a recipe on a configuration; `ggufNames` picks the recipe's GGUF tensor names. Recipes may
// ask `inventory` which of several layouts a checkpoint has; nullptr: the recipe's first.
BuiltGraph buildGraph(const std::string& resources,
                      const Recipe& recipe,
                      const Json& config,
                      bool ggufNames,
                      const checkpoint::Inventory* inventory = nullptr,
                      const CancelToken& cancel = {});

}  // namespace fl::recipe
