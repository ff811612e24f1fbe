// SPDX-License-Identifier: Apache-2.0
// How fast the ranks of a group reach each other, from the links of a cluster.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

struct LinkSpeed {
    double bytesPerSecond = 0;
    double latencySeconds = 0;
    bool operator==(const LinkSpeed&) const = default;
};

// The slowest link between neighbours of any group of a kind.
struct GroupReach {
    std::string group;  // "tp", "pp", "edp"
    int ranks = 1;      // of one group; 2 for "pp": a hand-over has two ends
    LinkSpeed link;
};

// Within a node all devices reach each other with the speed of its slowest link between devices,
// or through the node where none is named; two nodes with that of the link between them, or of the
// slowest of the network. A measured rate counts before a nominal one, and where neither is known
// that of the link's kind.
class LinkTable {
public:
    explicit LinkTable(const topology::Cluster& cluster);

    LinkSpeed within(int node) const { return within_[static_cast<std::size_t>(node)]; }
    LinkSpeed between(int oneNode, int otherNode) const;

    // For "tp", "pp" and "edp", with the mesh's ranks in this order on the devices.
    // Precondition: there are as many devices as ranks.
    std::vector<GroupReach> reach(const Mesh& mesh, const RankOrder& order) const;
    // The same by looking at every rank, also where all nodes are alike.
    std::vector<GroupReach> reachByRank(const Mesh& mesh, const RankOrder& order) const;

private:
    void findGrid(const topology::Cluster& cluster);
    std::vector<GroupReach> onGrid(const Mesh& mesh, const RankOrder& order) const;

    std::vector<int> nodes_;  // of the device in each place
    int perNode_ = 0;  // devices of a node, where all nodes and their links are alike; else 0
    std::vector<LinkSpeed> within_;
    // Pairs that a link names, as one · nodes + other: few where clusters are large.
    std::unordered_map<std::size_t, LinkSpeed> between_;
    LinkSpeed network_;
};

}  // namespace fl::plan
