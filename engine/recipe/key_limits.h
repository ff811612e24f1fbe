// SPDX-License-Identifier: Apache-2.0
// The limits that a recipe sets for a key: whether a value keeps them, and which values would.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/recipe/config_rules.h"

namespace fl::recipe {

std::string_view typeText(KeyType type);  // "a whole number"
std::string numberText(double value);     // "512", "1e-05"
bool hasType(KeyType type, const Json& value);

// Of a list each item, or its length.
bool isWithin(const KeyLimit& limit, const Json& value, double bound);
// "at most 4"
std::string limitText(Relation relation, double bound);

// What the limits leave over, as far as `values` has the keys they speak of: "1, 2 or 4" where they
// leave few whole numbers, else "above 0, below 1"; empty where there are none. Limits of what is
// only usual do not count.
std::string legalText(const KeyRule& rule, const Formula::Values& values);
// "usually 10000.0 or 500000.0"; empty if the recipe says nothing of it.
std::string usualText(const KeyRule& rule);

}  // namespace fl::recipe
