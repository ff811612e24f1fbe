// SPDX-License-Identifier: Apache-2.0
#include "app/linked_plugins.h"

#include "engine/base/paths.h"
#include "plugins/cpu/plugin.h"

namespace fl::app {

std::vector<fl_plugin_entry_fn> linkedPlugins() {
    return {plugins::cpu::pluginEntry};
}

std::vector<std::string> pluginFolders() {
    return {programDir() + "/../lib/firstlight/plugins"};
}

}  // namespace fl::app
