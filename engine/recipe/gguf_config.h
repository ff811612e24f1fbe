// SPDX-License-Identifier: Apache-2.0
// A GGUF's metadata as the configuration that recipes read, by a recipe's `gguf` table.
#pragma once

#include <map>
#include <string>

#include "engine/base/json.h"
#include "engine/checkpoint/checkpoint.h"

namespace fl::recipe {

struct GgufConfig {
    Json config;
    // Configuration key → the file's key, there or not, so that findings name what the file says.
    std::map<std::string, std::string> origin;
};

// `table`: { architecture, config = { key = {key | absent_tensor | values_of, count_of, values} },
// constants, harmless }. `values_of` takes the numbers of a small tensor: some settings are kept
// so. Keys of the architecture that the table does not know appear as "gguf.<key>", where the
// recipe's reader will not find a use for them.
GgufConfig ggufConfig(const checkpoint::Checkpoint& checkpoint, const Json& table);

}  // namespace fl::recipe
