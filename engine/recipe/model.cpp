// SPDX-License-Identifier: Apache-2.0
#include "engine/recipe/model.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/paths.h"
#include "engine/base/text.h"
#include "engine/recipe/config_check.h"
#include "engine/recipe/config_identity.h"
#include "engine/recipe/evidence_keys.h"
#include "engine/recipe/family_gaps.h"
#include "engine/recipe/gguf_config.h"
#include "engine/recipe/header_facts.h"
#include "engine/recipe/nearest_recipe.h"
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
    if (!architectures.items().empty())
        return architectures.item(0).string();
    return checkpoint.config["model_type"].string();
}

// A single file without a configuration beside it can be looked at for itself.
Finding configMissing(const checkpoint::Checkpoint& checkpoint) {
    Finding finding;
    finding.code = "config-missing";
    finding.severity = Severity::Warning;
    finding.stage = "inspect";
    finding.message = "there is no config.json beside the weights: what they are for is not known";
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
    if (!gguf) {
        const auto near = measureLikeness(set, checkpoint.config, checkpoint.inventory);
        if (!near.empty() && near.front().score > 0)
            unknown.message += "; the nearest recipe is " + near.front().text();
    }
    unknown.remedy = "draft a recipe with `firstlightctl recipe new`, or name one with --recipe";
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

// The checkpoint's names of tensors that a recipe calls as the hub does.
TensorNames namesOf(const checkpoint::Checkpoint& checkpoint, const Recipe& recipe) {
    if (checkpoint.format != checkpoint::Format::Gguf)
        return [](const std::string& name) { return name; };
    return [&recipe](const std::string& name) { return recipe.gguf["tensors"][name].string(); };
}

std::vector<HeaderFact> factsOf(const checkpoint::Checkpoint& checkpoint,
                                const ConfigRules& rules,
                                const TensorNames& names) {
    auto facts = gatherFacts(rules.evidence, checkpoint.inventory, names);
    // Files that are not there would be taken for layers that are not.
    if (hasErrors(checkpoint.findings))
        std::erase_if(facts, [](const HeaderFact& fact) { return fact.isCount; });
    return facts;
}

void addWrongKeys(const std::vector<Finding>& findings, std::vector<std::string>& out) {
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::Error && finding.code.starts_with("config-"))
            out.push_back(finding.key);
    }
}

// What a recipe says about keys that are known to be wrong is no news.
void dropEchoes(const std::vector<Finding>& checked, std::vector<Finding>& problems) {
    std::vector<std::string> wrong;
    addWrongKeys(checked, wrong);
    std::erase_if(problems, [&wrong](const Finding& finding) {
        return finding.code == "config-value" &&
               std::find(wrong.begin(), wrong.end(), finding.key) != wrong.end();
    });
    addWrongKeys(problems, wrong);
    std::erase_if(problems, [&wrong](const Finding& finding) {
        return finding.code == "config-unsupported" &&
               std::any_of(wrong.begin(), wrong.end(), [&finding](const std::string& key) {
                   return finding.key == key || finding.key.starts_with(key + ".");
               });
    });
}

// A file of keys alone is a tokenizer, and nothing is wrong with it.
void addVocabularyOnly(Model& model, const std::string& file) {
    Finding& finding = model.findings.emplace_back();
    finding.code = "gguf-no-tensors";
    finding.severity = Severity::Warning;
    finding.stage = "inspect";
    finding.file = file;
    finding.message = file + " holds a vocabulary and no weights";
    finding.expected = "tensors";
    finding.found = "none";
    finding.remedy = "open the file that holds the weights";
    Finding& blocker = model.unsupported.emplace_back(finding);
    blocker.severity = Severity::Error;
    blocker.stage = "plan";
}

// "[96, 64]" as a GGUF file has it, innermost first.
std::string reversedShape(const std::string& text) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return text;
    const std::string dims = text.substr(open + 1, close - open - 1);
    std::string out;
    for (std::size_t end = dims.size();;) {
        const std::size_t comma = end == 0 ? std::string::npos : dims.rfind(", ", end - 1);
        const std::size_t begin = comma == std::string::npos ? 0 : comma + 2;
        out += (out.empty() ? "" : ", ") + dims.substr(begin, end - begin);
        if (comma == std::string::npos)
            break;
        end = comma;
    }
    return text.substr(0, open + 1) + out + text.substr(close);
}

// The contract speaks of shapes outermost first and knows nothing of what the file's own reader
// has found.
void adaptToGguf(std::vector<Finding>& findings,
                 const checkpoint::Checkpoint& checkpoint,
                 const Recipe& recipe,
                 std::vector<Finding>& unsupported) {
    for (Finding& finding : findings) {
        finding.expected = reversedShape(finding.expected);
        finding.found = reversedShape(finding.found);
        for (const Finding& known : checkpoint.findings) {
            if (finding.code == "tensor-missing" && known.tensor == finding.tensor)
                finding.found = known.found;
        }
        for (const Json& name : recipe.gguf["not_computed"].items()) {
            if (finding.code != "tensor-unexpected" || finding.tensor != name.string())
                continue;
            finding.code = "config-unsupported";
            finding.severity = Severity::Warning;
            finding.message = "recipe " + recipe.name + " does not compute with " + finding.tensor;
            finding.remedy = "use a recipe that knows this tensor";
            Finding& blocker = unsupported.emplace_back(finding);
            blocker.severity = Severity::Error;
            blocker.stage = "plan";
        }
    }
}

void nameFiles(std::vector<Finding>& findings, const checkpoint::Checkpoint& checkpoint) {
    for (Finding& finding : findings) {
        if (!finding.file.empty() || finding.tensor.empty())
            continue;
        if (const checkpoint::TensorInfo* tensor = checkpoint.inventory.find(finding.tensor))
            finding.file = checkpoint.shards[static_cast<std::size_t>(tensor->shard)].fileName;
        else if (checkpoint.shards.size() == 1)
            finding.file = checkpoint.shards.front().fileName;
    }
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
    const TensorNames names = namesOf(checkpoint, recipe);
    ConfigCheck check = checkConfig(rules, config, factsOf(checkpoint, rules, names), file,
                                    gatherSayings(rules.evidence, checkpoint.inventory, names));
    if (!gguf)
        append(check.findings, checkNesting(config, rules, file));
    model.recipe = recipe.name;
    model.chat = recipe.chat;
    model.config = std::move(check.usable);
    BuiltGraph built =
        buildGraph(resources, recipe, model.config, gguf, &checkpoint.inventory, cancel);
    for (Finding& problem : built.problems)
        problem.file = problem.file.empty() ? file : problem.file;
    dropEchoes(check.findings, built.problems);
    append(check.findings, std::move(built.problems));
    nameOrigins(check.findings, translated);
    append(model.findings, std::move(check.findings));
    separateUnsupported(model);
    if (built.graph.layerCount == 0)
        return;
    model.graph = std::move(built.graph);
    if (gguf && checkpoint.inventory.size() == 0) {
        // With errors the file's reader has said why there is nothing.
        if (!hasErrors(checkpoint.findings))
            addVocabularyOnly(model, file);
        return;
    }
    ContractResult compared = compareWithInventory(model.graph, checkpoint.inventory, cancel);
    model.contract = std::move(compared.contract);
    model.tensors = std::move(compared.tensors);
    model.stored = std::move(compared.stored);
    if (gguf)
        adaptToGguf(compared.findings, checkpoint, recipe, model.unsupported);
    // Of files that are missing it is known already what is missing with them.
    const bool mismatch = model.contract.missing + model.contract.unexpected > 0;
    if (mismatch && !hasErrors(checkpoint.findings))
        append(compared.findings, findFamilyGaps(model.graph, checkpoint.inventory));
    nameFiles(compared.findings, checkpoint);
    append(model.findings, std::move(compared.findings));
    append(model.findings, findMixedTypes(checkpoint.config, checkpoint.inventory));
    nameKeys(model.findings, rules, names);
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
    if (!config.isObject())
        return Error{ErrorCode::InvalidArgument, "the configuration holds " +
                                                     std::string(config.kindName()) +
                                                     ", not an object with keys"};
    ConfigCheck check = checkConfig(recipe.rules, config, {}, "config.json");
    BuiltGraph built = buildGraph(resources, recipe, check.usable, false, nullptr, cancel);
    FL_DO(cancel.check("recipe"));
    for (Finding& problem : built.problems) {
        if (problem.code == "config-unsupported")
            problem.severity = Severity::Error;  // the recipe is what is looked at here
    }
    dropEchoes(check.findings, built.problems);
    append(check.findings, std::move(built.problems));
    return RecipeCheck{recipe.name, std::move(built.graph), folded(std::move(check.findings))};
}

}  // namespace fl::recipe
