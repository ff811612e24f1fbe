// SPDX-License-Identifier: Apache-2.0
// The command line that starts the ranks of a job.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace fl::service {

struct MpiRequest {
    std::string launcher = "mpirun";     // a name in PATH, or a path
    std::string program;                 // firstlightd, under this path on every node
    std::vector<std::string> variables;  // of our environment, for the ranks of all nodes
    std::string sharedFolder;            // for memory that ranks of this machine share
    int ranks = 1;
    std::vector<std::string> hosts;  // of each rank; empty: all on this machine
};

// NotFound, with what to install, where there is no launcher.
Result<std::vector<std::string>> mpiCommand(const MpiRequest& request);

}  // namespace fl::service
