// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/model.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/config_check.h"
#include "engine/recipe/config_identity.h"
#include "engine/recipe/gguf_config.h"
#include "engine/recipe/header_facts.h"
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

// Where keys are, for findings.
std::string configFile(const checkpoint::Checkpoint& checkpoint) {
    if (checkpoint.format == checkpoint::Format::Gguf && !checkpoint.shards.empty())
        return checkpoint.shards.front().fileName;
    return "config.json";
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
    Finding unknown = set.unknownArchitecture(model.architecture);
    const bool gguf = checkpoint.format == checkpoint::Format::Gguf;
    unknown.file = configFile(checkpoint);
    unknown.key = gguf                                      ? "general.architecture"
                  : checkpoint.config.find("architectures") ? "architectures"
                                                            : "model_type";
    model.findings.push_back(std::move(unknown));
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

// A GGUF says in its own way what a config.json says: only keys that it can have are missed.
ConfigRules rulesFor(const Recipe& recipe, bool gguf) {
    ConfigRules rules = recipe.rules;
    if (!gguf)
        return rules;
    rules.root.clear();
    std::erase_if(rules.keys, [&recipe](const KeyRule& rule) {
        return !recipe.gguf["config"].find(rule.key) && !recipe.gguf["constants"].find(rule.key);
    });
    for (KeyRule& rule : rules.keys) {
        const std::string& absent = recipe.gguf["config"][rule.key]["absent"].string();
        if (absent == "error" || absent == "warning")
            rule.absent = absent == "error" ? Severity::Error : Severity::Warning;
        else if (absent == "fine")
            rule.absent.reset();
    }
    return rules;
}

std::vector<HeaderFact> factsOf(const checkpoint::Checkpoint& checkpoint,
                                const Recipe& recipe,
                                const ConfigRules& rules) {
    const bool gguf = checkpoint.format == checkpoint::Format::Gguf;
    const Json& names = recipe.gguf["tensors"];
    auto facts = gatherFacts(rules.evidence, checkpoint.inventory, [&](const std::string& name) {
        return gguf ? names[name].string() : name;
    });
    // Files that are not there would be taken for layers that are not.
    if (hasErrors(checkpoint.findings))
        std::erase_if(facts, [](const HeaderFact& fact) { return fact.isCount; });
    return facts;
}

// What the recipe says about keys that are known to be wrong already is no news.
std::vector<Finding> news(std::vector<Finding> problems, const std::vector<Finding>& known) {
    std::erase_if(problems, [&known](const Finding& problem) {
        return std::any_of(known.begin(), known.end(), [&problem](const Finding& each) {
            return each.severity == Severity::Error && !each.key.empty() &&
                   (problem.key == each.key || problem.key.starts_with(each.key + "."));
        });
    });
    return problems;
}

void separateUnsupported(Model& model) {
    for (const Finding& finding : model.findings) {
        if (finding.code != "config-unsupported")
            continue;
        Finding& blocker = model.unsupported.emplace_back(finding);
        blocker.severity = Severity::Error;
        blocker.stage = "plan";
    }
}

void fill(Model& model,
          const checkpoint::Checkpoint& checkpoint,
          const std::string& resources,
          const Recipe& recipe,
          const CancelToken& cancel) {
    const bool gguf = checkpoint.format == checkpoint::Format::Gguf;
    const std::string file = configFile(checkpoint);
    GgufConfig translated;
    if (gguf)
        translated = ggufConfig(checkpoint, recipe.gguf);
    const Json& config = gguf ? translated.config : checkpoint.config;
    const ConfigRules rules = rulesFor(recipe, gguf);
    ConfigCheck check = checkConfig(rules, config, factsOf(checkpoint, recipe, rules), file);
    if (!gguf)
        append(check.findings, checkNesting(config, rules, file));
    model.recipe = recipe.name;
    model.config = std::move(check.usable);
    BuiltGraph built = buildGraph(resources, recipe, model.config, gguf, cancel);
    for (Finding& problem : built.problems)
        problem.file = problem.file.empty() ? file : problem.file;
    append(check.findings, news(std::move(built.problems), check.findings));
    nameOrigins(check.findings, translated);
    append(model.findings, std::move(check.findings));
    separateUnsupported(model);
    if (built.graph.layerCount == 0)
        return;
    model.graph = std::move(built.graph);
    ContractResult compared = compareWithInventory(model.graph, checkpoint.inventory, cancel);
    model.contract = std::move(compared.contract);
    model.tensors = std::move(compared.tensors);
    model.stored = std::move(compared.stored);
    append(model.findings, std::move(compared.findings));
}

}  // namespace

Result<Model> buildModel(const checkpoint::Checkpoint& checkpoint,
                         const std::string& recipe,
                         const CancelToken& cancel) {
    const std::string resources = resourcesDir();
    Model model;
    model.architecture = architectureOf(checkpoint);
    if (isPath(recipe)) {
        FL_TRY(const Recipe own, RecipeSet::read(resources, recipe, cancel));
        fill(model, checkpoint, resources, own, cancel);
    } else {
        FL_TRY(RecipeSet set, RecipeSet::open(resources, cancel));
        append(model.findings, set.broken());
        for (Finding& finding : model.findings)
            finding.severity = Severity::Warning;  // another recipe may serve
        FL_TRY(const Recipe* chosen, choose(set, checkpoint, recipe, model));
        if (checkpoint.format == checkpoint::Format::Safetensors && !checkpoint.config.isNull())
            append(model.findings, checkIdentity(checkpoint, chosen));
        if (chosen)
            fill(model, checkpoint, resources, *chosen, cancel);
    }
    FL_DO(cancel.check("recipe"));
    model.findings = folded(std::move(model.findings));
    return model;
}

Result<RecipeCheck> checkRecipe(const std::string& recipeFile,
                                const Json& config,
                                const CancelToken& cancel) {
    const std::string resources = resourcesDir();
    FL_TRY(const Recipe recipe, RecipeSet::read(resources, recipeFile, cancel));
    BuiltGraph built = buildGraph(resources, recipe, config, false, cancel);
    FL_DO(cancel.check("recipe"));
    for (Finding& problem : built.problems) {
        if (problem.code == "config-unsupported")
            problem.severity = Severity::Error;  // the recipe is what is looked at here
    }
    return RecipeCheck{recipe.name, std::move(built.graph), folded(std::move(built.problems))};
}

}  // namespace fl::recipe
