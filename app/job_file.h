// SPDX-License-Identifier: Apache-2.0
// A job's settings as a file that people write, version and hand on.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/protocol/job_messages.h"

namespace fl::app {

// Strict: an unknown key or a value of the wrong kind is an error that names the file and the
// nearest valid key. A relative checkpoint is looked for beside the file.
Result<protocol::JobSettings> readJobFile(const std::string& path);

// What readJobFile() reads back; only settings that differ from the defaults are written.
std::string writeJobFile(const protocol::JobSettings& settings);

// Takes mesh, layers per stage, context and types from what `plan --json` printed.
Status takePlanFile(const std::string& path, protocol::JobSettings& settings);

// "SmolLM2-135M-Instruct" from a checkpoint's path: letters that a job's name may have.
std::string jobNameFor(const std::string& checkpoint);

}  // namespace fl::app
