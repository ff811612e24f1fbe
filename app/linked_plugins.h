// SPDX-License-Identifier: Apache-2.0
// The plugins that are part of this program.
#pragma once

#include <vector>

#include "plugins/abi/firstlight_device.h"

namespace fl::app {

std::vector<fl_plugin_entry_fn> linkedPlugins();

}  // namespace fl::app
