// SPDX-License-Identifier: Apache-2.0
// Files beside config.json that say the same once more, and so what a wrong value of it should be.
#pragma once

#include <vector>

#include "engine/base/finding.h"
#include "engine/base/json.h"
#include "engine/tokenizer/tokenizer_check.h"

namespace fl::service {

// Adds to what findings about keys of config.json expect the value that another file gives.
// `generation` is generation_config.json, or null.
void completeFromCompanions(std::vector<Finding>& findings,
                            const tokenizer::SaidByTokenizer& said,
                            const Json& generation);

}  // namespace fl::service
