// SPDX-License-Identifier: Apache-2.0
// Which keys of a configuration are wrong if the headers are right: the fewest that, changed,
// satisfy what the headers say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/recipe/header_facts.h"

namespace fl::recipe {

struct SolvedKey {
    double value = 0;
    std::string tensor;   // that proves it; may be empty
    std::string counted;  // HeaderFact::counted
};

using KeyValues = std::map<std::string, double, std::less<>>;

// `known`: what the configuration says, as far as it can be used. `likely`: what absent keys mean
// by default, which decides between equally good answers. Returns the keys whose value is not the
// known one.
std::map<std::string, SolvedKey> solveConfig(const std::vector<HeaderFact>& facts,
                                             const KeyValues& known,
                                             const KeyValues& likely);

}  // namespace fl::recipe
