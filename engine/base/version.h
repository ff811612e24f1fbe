// SPDX-License-Identifier: Apache-2.0
// The version of all programs of this build, as the root CMakeLists.txt says.
#pragma once

#include <string_view>

namespace fl {

std::string_view version();  // "0.1.0"

}  // namespace fl
