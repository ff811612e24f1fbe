// SPDX-License-Identifier: Apache-2.0
// Names from outside, made harmless to look at.
#pragma once

#include <string>
#include <string_view>

namespace fl {

// Control characters and marks that turn the direction of text as \x0a and \u202e, so that a name
// from outside looks like what it is and cannot steer a terminal. Texts that were made visible
// stay as they are.
std::string visible(std::string_view text);
// Whether visible() would change it.
bool hasControl(std::string_view text);
bool hasDirectionMark(std::string_view text);

}  // namespace fl
