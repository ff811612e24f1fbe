// SPDX-License-Identifier: Apache-2.0
// The command line that starts the ranks of a job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace fl::service {

struct MpiRequest {
    std::string launcher = "mpirun";     // a name in PATH, or a path
    std::string program;                 // firstlightd, under this path on every node
    std::vector<std::string> variables;  // of our environment, for the ranks of all nodes
    std::string sharedFolder;            // for memory that ranks of this machine share
    int ranks = 1;
    // Nodes in the order of their ranks with the number of ranks on each; empty: this machine.
    std::vector<std::pair<std::string, int>> hosts;
};

// NotFound, with what to install, where there is no launcher.
Result<std::vector<std::string>> mpiCommand(const MpiRequest& request);

}  // namespace fl::service
