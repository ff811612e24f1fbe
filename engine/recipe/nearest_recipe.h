// SPDX-License-Identifier: Apache-2.0
// How near each recipe is to a model that none knows: by its declared tensors against the names and
// ranks in the headers, and by its declared keys against the configuration.
#pragma once

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/recipe/recipe_set.h"

namespace fl::recipe {

struct Likeness {
    const Recipe* recipe = nullptr;
    double score = 0;  // 0 … 1: tensors count twice as much as keys
    int tensors =
        0;         // declared ones that are there, with the number of dimensions they should have
    int keys = 0;  // declared ones that are there
    // The model's own, "{i}" for a layer and "{}" for an expert, that no declaration names.
    std::vector<std::string> openTensors;
    std::vector<std::string> openKeys;
    // Needed by the recipe and not there.
    std::vector<std::string> lackingTensors;
    std::vector<std::string> lackingKeys;

    // "qwen3_moe (11 of 13 tensor names, 20 of 24 keys)"
    std::string text() const;
};

// Best first; equal ones in the set's order. `config` may be null, `inventory` empty.
std::vector<Likeness> measureLikeness(const RecipeSet& set,
                                      const Json& config,
                                      const checkpoint::Inventory& inventory);

// "model.layers.{i}.mlp.experts.{}.up_proj.weight": numbers between dots are a layer, then an
// expert.
std::string namePattern(std::string_view tensor);

}  // namespace fl::recipe
