// SPDX-License-Identifier: Apache-2.0
// How many layers of a checkpoint differ in more than their number: equal ones need to be looked
// at, compiled and planned once.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/recipe/model.h"

namespace fl::recipe {

// Different sets of (name without the layer, dtype, shape) by part of the model: "text", "mtp",
// "vision". A part without layers is absent.
std::map<std::string, std::int64_t> distinctLayers(const Model& model);

}  // namespace fl::recipe
