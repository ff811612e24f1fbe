// SPDX-License-Identifier: Apache-2.0
// What this machine is made of, through hwloc.
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/topology/cluster.h"

namespace fl::topology {

// Sockets, cores, NUMA nodes, caches, memory, and cards on the PCI bus with their address and NUMA
// node. No device library is started: what a card has (memory, speed) its plugin says.
Result<Node> localNode();

// The same from an XML text that `lstopo --of xml` has recorded.
Result<Node> nodeFromXml(const std::string& xml);

}  // namespace fl::topology
