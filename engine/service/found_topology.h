// SPDX-License-Identifier: Apache-2.0
// What the ranks find where they run: each looks at its own node, rank 0 puts it together and holds
// it against the plan.
#pragma once

#include <vector>

#include "engine/base/finding.h"
#include "engine/device/device.h"
#include "engine/protocol/topology_messages.h"
#include "engine/service/prepare.h"

namespace fl::service {

// The machine around this rank through hwloc, and first of its devices the rank's own, which knows
// its rank.
Result<protocol::NodeInfo> nodeOfRank(const device::DeviceInfo& own, int rank);

// `perRank`: nodeOfRank() of each rank. Writes into `planned` (topologyReport() of the placement)
// what they found, node by node and card by card; nodes without ranks stay as they are. Gives
// warnings where a node is less than the plan counts on. InvalidArgument, naming the ranks, where
// the launcher has spread them over nodes otherwise than planned: a plan for fast links would run
// over slow ones.
Result<std::vector<Finding>> takeFound(const Placement& placement,
                                       const std::vector<protocol::NodeInfo>& perRank,
                                       protocol::Topology& planned);

}  // namespace fl::service
