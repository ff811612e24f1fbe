// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/model.h"

#include <iterator>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/gguf_config.h"
#include "engine/recipe/recipe_set.h"

namespace fl::recipe {

namespace {

void append(std::vector<Finding>& to, std::vector<Finding> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

bool isPath(const std::string& recipe) {
    return recipe.size() > 4 && recipe.compare(recipe.size() - 4, 4, ".lua") == 0;
}

std::string architectureOf(const checkpoint::Checkpoint& checkpoint) {
    if (checkpoint.format == checkpoint::Format::Gguf)
        return checkpoint.metadata["general.architecture"].string();
    const Json& architectures = checkpoint.config["architectures"];
    if (architectures.size() > 0)
        return architectures.items().front().string();
    return checkpoint.config["model_type"].string();
}

Finding configMissing(const checkpoint::Checkpoint& checkpoint) {
    Finding finding;
    finding.code = "config-missing";
    finding.stage = "inspect";
    finding.message = "there is no readable config.json beside the weights";
    finding.file = checkpoint.folder + "/config.json";
    finding.remedy = "put the model's config.json into the folder";
    return finding;
}

Error unknownRecipe(const RecipeSet& set, const std::string& name) {
    std::vector<std::string> known;
    for (const Recipe& recipe : set.recipes())
        known.push_back(recipe.name);
    const std::string near = nearest(name, known);
    return {ErrorCode::NotFound, "no recipe '" + name + "'" +
                                     (near.empty() ? ", known are: " + join(known, ", ") : near)};
}

// The recipe by the user's word or by the checkpoint; a null recipe is in the findings.
Result<const Recipe*> choose(RecipeSet& set,
                             const checkpoint::Checkpoint& checkpoint,
                             const std::string& name,
                             Model& model) {
    if (!name.empty()) {
        const Recipe* recipe = set.byName(name);
        if (!recipe)
            return unknownRecipe(set, name);
        return recipe;
    }
    if (checkpoint.format == checkpoint::Format::Gguf) {
        if (const Recipe* recipe = set.byGguf(model.architecture))
            return recipe;
    } else if (checkpoint.config.isNull()) {
        if (!hasErrors(checkpoint.findings))  // else it has said so
            model.findings.push_back(configMissing(checkpoint));
        return nullptr;
    } else if (const Recipe* recipe = set.byConfig(checkpoint.config)) {
        return recipe;
    }
    model.findings.push_back(set.unknownArchitecture(model.architecture));
    return nullptr;
}

// Findings about a translated key name the file's own key.
void nameOrigins(std::vector<Finding>& findings, const GgufConfig& translated) {
    for (Finding& finding : findings) {
        const auto origin = translated.origin.find(finding.key);
        if (origin != translated.origin.end() && !origin->second.empty())
            finding.key = origin->second;
    }
}

void fill(Model& model,
          const checkpoint::Checkpoint& checkpoint,
          const std::string& resources,
          const Recipe& recipe) {
    const bool gguf = checkpoint.format == checkpoint::Format::Gguf;
    GgufConfig translated;
    if (gguf)
        translated = ggufConfig(checkpoint, recipe.gguf);
    model.recipe = recipe.name;
    model.config = gguf ? translated.config : checkpoint.config;
    BuiltGraph built = buildGraph(resources, recipe, model.config, gguf);
    nameOrigins(built.problems, translated);
    append(model.findings, std::move(built.problems));
    if (hasErrors(model.findings))
        return;
    model.graph = std::move(built.graph);
    ContractResult compared = compareWithInventory(model.graph, checkpoint.inventory);
    model.contract = std::move(compared.contract);
    model.tensors = std::move(compared.tensors);
    model.stored = std::move(compared.stored);
    append(model.findings, std::move(compared.findings));
}

}  // namespace

Result<Model> buildModel(const checkpoint::Checkpoint& checkpoint, const std::string& recipe) {
    const std::string resources = resourcesDir();
    Model model;
    model.architecture = architectureOf(checkpoint);
    if (isPath(recipe)) {
        FL_TRY(const Recipe own, RecipeSet::read(resources, recipe));
        fill(model, checkpoint, resources, own);
    } else {
        FL_TRY(RecipeSet set, RecipeSet::open(resources));
        append(model.findings, set.broken());
        for (Finding& finding : model.findings)
            finding.severity = Severity::Warning;  // another recipe may serve
        FL_TRY(const Recipe* chosen, choose(set, checkpoint, recipe, model));
        if (chosen)
            fill(model, checkpoint, resources, *chosen);
    }
    model.findings = folded(std::move(model.findings));
    return model;
}

Result<RecipeCheck> checkRecipe(const std::string& recipeFile, const Json& config) {
    const std::string resources = resourcesDir();
    FL_TRY(const Recipe recipe, RecipeSet::read(resources, recipeFile));
    BuiltGraph built = buildGraph(resources, recipe, config, false);
    return RecipeCheck{recipe.name, std::move(built.graph), folded(std::move(built.problems))};
}

}  // namespace fl::recipe
