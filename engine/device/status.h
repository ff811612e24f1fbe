// SPDX-License-Identifier: Apache-2.0
// What a plugin's status and last_error mean in the engine's own words.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "plugins/abi/firstlight_device.h"

namespace fl::device {

ErrorCode errorCode(fl_status status);
fl_status statusOf(ErrorCode code);  // Corrupt has no status of its own and becomes FL_INTERNAL

// Call right after the failed call, on its thread. `what` stands in where the plugin gave no
// sentence.
Error pluginError(const fl_plugin& plugin, fl_status status, std::string_view what);

// Done, or the error of a call that has just returned.
Status checked(const fl_plugin& plugin, fl_status status, std::string_view what);

}  // namespace fl::device
