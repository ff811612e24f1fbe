// SPDX-License-Identifier: Apache-2.0
// The plugins that are part of this program, and where others are looked for.
#pragma once

#include <string>
#include <vector>

#include "plugins/abi/firstlight_device.h"

namespace fl::app {

std::vector<fl_plugin_entry_fn> linkedPlugins();
// For libfirstlight_<name>.so: <program>/../lib/firstlight/plugins.
std::vector<std::string> pluginFolders();

}  // namespace fl::app
