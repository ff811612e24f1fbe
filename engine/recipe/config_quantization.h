// SPDX-License-Identifier: Apache-2.0
// quantization_config against itself and against the headers: a format that nobody knows, blocks
// that the scales contradict, exceptions that match nothing or the wrong tensors.
#pragma once

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"

namespace fl::recipe {

// `root`: the object where a recipe's keys lie, or "".
std::vector<Finding> checkQuantization(const Json& config,
                                       const std::string& root,
                                       const checkpoint::Inventory& inventory);

}  // namespace fl::recipe
