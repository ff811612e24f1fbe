// SPDX-License-Identifier: Apache-2.0
// The CPU plugin's table, for programs that link it in. A program that loads it by path finds the
// same table behind fl_plugin_entry.
#pragma once

#include <cstdint>

#include "plugins/abi/firstlight_device.h"

namespace fl::plugins::cpu {

// Null for an interface version it cannot speak.
const fl_plugin* pluginEntry(std::uint32_t abiVersion);

}  // namespace fl::plugins::cpu
