// SPDX-License-Identifier: Apache-2.0
// The one exported symbol of the loadable plugin.
#include "plugins/cpu/plugin.h"

extern "C" __attribute__((visibility("default"))) const fl_plugin* fl_plugin_entry(
    std::uint32_t abiVersion);

extern "C" const fl_plugin* fl_plugin_entry(std::uint32_t abiVersion) {
    return fl::plugins::cpu::pluginEntry(abiVersion);
}
