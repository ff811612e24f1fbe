// SPDX-License-Identifier: Apache-2.0
// A configuration against what its recipe declares, all at once: types, ranges, keys against each
// other and against the headers. The tensors are the measure of what a number should be.
#pragma once

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/recipe/config_rules.h"
#include "engine/recipe/header_facts.h"

namespace fl::recipe {

struct ConfigCheck {
    // config-key-missing, config-value (of its own), config-contradiction (against others).
    std::vector<Finding> findings;
    // The configuration with a usable value for every key that had none, so that the rest of the
    // model can be looked at. Equal to the configuration where there is nothing to mend.
    Json usable;
};

// `facts` and `sayings`: empty where there is no checkpoint. `file` is named in findings.
ConfigCheck checkConfig(const ConfigRules& rules,
                        const Json& config,
                        const std::vector<HeaderFact>& facts,
                        const std::string& file,
                        const std::vector<HeaderSaying>& sayings = {});

}  // namespace fl::recipe
