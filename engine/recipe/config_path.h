// SPDX-License-Identifier: Apache-2.0
// Keys of a configuration by their path, "rope_scaling.factor".
#pragma once

#include <string>
#include <string_view>

#include "engine/base/json.h"

namespace fl::recipe {

// A member named by the whole path goes before one inside an object. nullptr: absent.
const Json* findPath(const Json& config, std::string_view path);
// Sets the member where findPath() found it, or as one of the object that the path names; removes
// it if `value` is null.
void setPath(Json& config, std::string_view path, Json value);

// For findings: texts in quotes, lists spelt out, objects and what is long cut off.
std::string shown(const Json& value);

}  // namespace fl::recipe
