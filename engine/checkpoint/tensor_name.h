// SPDX-License-Identifier: Apache-2.0
// Which tensor names are accepted. Names reach terminals, logs, paths and pattern matchers.
#pragma once

#include <string>
#include <string_view>

namespace fl::checkpoint {

// What is wrong with the name ("holds a control character"), or "".
std::string tensorNameFault(std::string_view name);

// The name as a message may show it: control characters as \xNN, at most 100 bytes.
std::string printable(std::string_view name);

// Whether the tensor holds scales of another one, by the end of its name.
bool isScaleName(std::string_view name);

}  // namespace fl::checkpoint
