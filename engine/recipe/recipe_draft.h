// SPDX-License-Identifier: Apache-2.0
// A first recipe for an architecture that none knows: a copy of the nearest one under the new
// names, with a list of what the copy does not cover.
#pragma once

#include <string>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/recipe/nearest_recipe.h"

namespace fl::recipe {

struct RecipeDraft {
    std::string name;  // "new_model", from the model type
    std::string text;  // Lua
    Likeness nearest;  // its `recipe` is gone
    std::string nearestName;
};

// `inventory` may be empty: then only keys are compared. `name`: "" for one made from model_type.
// Errors: InvalidArgument if the configuration names no architecture.
Result<RecipeDraft> draftRecipe(const Json& config,
                                const checkpoint::Inventory& inventory,
                                const std::string& name);

// Writes its text to a file that ends in ".lua". InvalidArgument if there is one already: it may
// hold somebody's work.
Status saveDraft(const RecipeDraft& draft, const std::string& path);

// What a dimension could be, in the words of the configuration: "hidden_size", "4 * head_dim",
// "num_attention_heads * head_dim", or the number.
std::string dimensionText(std::int64_t dimension, const Json& config);

}  // namespace fl::recipe
