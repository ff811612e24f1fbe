// SPDX-License-Identifier: Apache-2.0
// `firstlightd --job NAME`: the control role of the engine program.
#pragma once

#include <string>

namespace fl::app {

struct ControlOptions {
    std::string job;
    bool idleExit = false;  // ends when the last client has left
    bool detach = false;    // returns to the shell as soon as clients can connect
    std::string launcher = "mpirun";
    std::string logLevel = "info";
};

// Serves until a client or a signal ends it. Returns the exit code; 3: it could not start, and
// standard error says why. Prints the socket's path when clients can connect.
int runControlProgram(const ControlOptions& options);

}  // namespace fl::app
