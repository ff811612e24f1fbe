// SPDX-License-Identifier: Apache-2.0
// The checkpoint as a rank finds it on its own node, where the same path may mean something else
// than on the control process's.
#pragma once

#include <vector>

#include "engine/base/finding.h"
#include "engine/protocol/link_messages.h"
#include "engine/service/prepare.h"

namespace fl::service {

struct NodeCheckpoint {
    Inspection inspection;
    // Each names node and path; with any of them the inspection is not to be used.
    std::vector<Finding> problems;
};

// Without problems and without a checkpoint where it was cancelled.
NodeCheckpoint inspectOnNode(const protocol::RankJob& job, const CancelToken& stop = {});

}  // namespace fl::service
