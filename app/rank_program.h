// SPDX-License-Identifier: Apache-2.0
// `firstlightd --rank FILE`: the rank role of the engine program.
#pragma once

#include <string>

namespace fl::app {

// Called before the process has threads; `argc` and `argv` are main()'s, for MPI. Returns the exit
// code; 3: the job file cannot be read.
int runRankProgram(const std::string& jobFile, int* argc, char*** argv);

}  // namespace fl::app
