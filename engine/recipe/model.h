// SPDX-License-Identifier: Apache-2.0
// From a checkpoint to a model we can run: the recipe that fits it, the graph that recipe builds
// from the checkpoint's configuration, and the contract between the two.
#pragma once

#include <string>
#include <vector>

#include "engine/base/cancel_token.h"
#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/graph/graph.h"
#include "engine/graph/stored_weight.h"
#include "engine/recipe/contract.h"

namespace fl::recipe {

struct Model {
    std::string recipe;        // "llama"
    std::string architecture;  // as the checkpoint calls it: "LlamaForCausalLM", "llama"
    std::string chat;          // Recipe::chat
    Json config;  // what the recipe was given: config.json, or a GGUF's keys translated
    graph::Graph graph;
    Contract contract;
    // One per weight and expert (index: WeightId, then the expert, or 0): what the loader reads.
    // Names view the checkpoint's inventory, so the checkpoint must outlive the model. Empty for
    // a weight that is missing or of a wrong shape.
    std::vector<std::vector<checkpoint::TensorInfo>> tensors;
    std::vector<graph::StoredWeight> stored;  // what the plan reads
    // The recipe's and the contract's, folded. With errors among them the graph may be empty, or
    // not loadable; what could be said is still there.
    std::vector<Finding> findings;
    // What this version cannot compute, as errors of a plan. The checkpoint is not at fault, so
    // among `findings` they are warnings.
    std::vector<Finding> unsupported;
};

// Finds the recipe by the configuration's architecture or by `recipe` (a name of
// resources/models, or a path ending in .lua), runs it and compares the graph with the
// checkpoint. Fails only where recipes cannot be read at all; an unknown architecture, a
// configuration the recipe cannot honour and a broken contract are findings.
Result<Model> buildModel(const checkpoint::Checkpoint& checkpoint,
                         const std::string& recipe,
                         const CancelToken& cancel = {});

// What `recipe check` shows: a recipe against a config.json, without weights.
struct RecipeCheck {
    std::string recipe;
    graph::Graph graph;
    std::vector<Finding> findings;
};
Result<RecipeCheck> checkRecipe(const std::string& recipeFile,
                                const Json& config,
                                const CancelToken& cancel = {});

}  // namespace fl::recipe
