// SPDX-License-Identifier: Apache-2.0
// One cluster from what each rank has seen where it runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/topology/cluster.h"

namespace fl::topology {

struct MergedCluster {
    Cluster cluster;
    std::vector<int> nodeOfRank;  // into cluster.nodes
};

// Ranks that report the same host name are on the same node; its devices are those of all of them,
// each once (by PCI address, else by kind and index), as told by the rank that drives it. Nodes
// come in the order of their first rank. Links: every device to its node, every node to every
// other, speeds not known yet.
MergedCluster merged(std::string clusterName, std::span<const Node> nodePerRank);

// Adds those links to a cluster that has none.
void addUnmeasuredLinks(Cluster& cluster);

}  // namespace fl::topology
