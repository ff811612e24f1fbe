// SPDX-License-Identifier: Apache-2.0
// What a rank's errors are called in the list of findings.
#pragma once

#include <string>

#include "engine/base/finding.h"
#include "engine/base/result.h"

namespace fl::service {

// The process, not a device, was refused memory: says what it has and what may be had.
Error outOfHostMemory();

// `stage`: launch, load or probe.
Finding rankFinding(const Error& error, const std::string& stage);

}  // namespace fl::service
