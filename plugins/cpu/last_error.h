// SPDX-License-Identifier: Apache-2.0
// The sentence behind a failed call, per calling thread as the device interface asks.
#pragma once

#include <string>

#include "plugins/abi/firstlight_device.h"

namespace fl::plugins::cpu {

// Keeps the sentence and gives `status` back, so that a call can end in `return fail(…)`.
fl_status fail(fl_status status, std::string sentence);
const char* lastError();

}  // namespace fl::plugins::cpu
