// SPDX-License-Identifier: Apache-2.0
// Which keys of a configuration a tensor depends on, by what the recipe declares as evidence: a
// shape that is wrong because a key is wrong is said together with the key.
#pragma once

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/recipe/config_rules.h"
#include "engine/recipe/header_facts.h"

namespace fl::recipe {

// Names in findings about shapes, tensors that are missing and families that are incomplete the key
// that other findings hold responsible.
void nameKeys(std::vector<Finding>& findings, const ConfigRules& rules, const TensorNames& names);

}  // namespace fl::recipe
