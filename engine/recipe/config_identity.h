// SPDX-License-Identifier: Apache-2.0
// What a configuration says about itself as a whole: architecture, model type, stored type, where
// its parts lie, code it wants to be run.
#pragma once

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/recipe/recipe_set.h"

namespace fl::recipe {

// Of a config.json. `recipe`: the one that will read it; nullptr where none was found.
std::vector<Finding> checkIdentity(const checkpoint::Checkpoint& checkpoint, const Recipe* recipe);

// The object that a recipe's keys are members of, and whether keys lie in it and beside it.
std::vector<Finding> checkNesting(const Json& config,
                                  const ConfigRules& rules,
                                  const std::string& file);

}  // namespace fl::recipe
