// SPDX-License-Identifier: Apache-2.0
// Where Firstlight keeps and finds its files (XDG base directory specification).
#pragma once

#include <string>

#include "engine/base/result.h"

namespace fl {

// Recipes, rules, clusters: $FIRSTLIGHT_RESOURCES, else <program>/../share/firstlight.
std::string resourcesDir();
std::string programDir();  // folder of the running executable

std::string dataDir();    // $XDG_DATA_HOME/firstlight
std::string configDir();  // $XDG_CONFIG_HOME/firstlight
std::string stateDir();   // $XDG_STATE_HOME/firstlight
std::string cacheDir();   // $XDG_CACHE_HOME/firstlight

// $XDG_RUNTIME_DIR/firstlight, else /tmp/firstlight-<uid>: made with mode 0700 and owned by us, or
// an error that says what is wrong with it.
Result<std::string> runtimeDir();

}  // namespace fl
