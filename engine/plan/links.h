// SPDX-License-Identifier: Apache-2.0
// How fast the ranks of a group reach each other, from the links of a cluster.
#pragma once

#include <vector>

#include "engine/plan/plan.h"
#include "engine/topology/cluster.h"

namespace fl::plan {

struct LinkSpeed {
    double bytesPerSecond = 0;
    double latencySeconds = 0;
    bool operator==(const LinkSpeed&) const = default;
};

// The slowest link that neighbours of any group of a kind use, in the group's order.
struct GroupReach {
    std::string group;  // "tp", "pp", "edp"
    int ranks = 1;      // of one group; 2 for "pp": a hand-over has two ends
    LinkSpeed link;
};

// Within a node all devices reach each other with the speed of its slowest link between devices,
// or through the node where it has none; between nodes with that of the link between the two, or of
// the slowest network link where none is named. A measured rate counts before the nominal one, and
// where neither is known that of the link's kind.
class LinkTable {
public:
    explicit LinkTable(const topology::Cluster& cluster);

    LinkSpeed within(int node) const { return within_[static_cast<std::size_t>(node)]; }
    LinkSpeed between(int oneNode, int otherNode) const;
    // The fastest of all: what a group loses is measured against it.
    LinkSpeed best() const;

    // `nodes`: the node of each rank. Groups of one are left out.
    std::vector<GroupReach> reach(const Mesh& mesh, const std::vector<int>& nodes) const;
    // The same for ranks in this order on the devices, without looking at each where the cluster is
    // a grid of equal nodes.
    std::vector<GroupReach> reach(const Mesh& mesh, const RankOrder& order) const;

    // The node of the device in each place.
    const std::vector<int>& nodes() const { return nodes_; }

private:
    LinkSpeed slowest(int first,
                      const std::vector<int>& nodes,
                      const std::vector<int>& ranks) const;

    std::vector<int> nodes_;
    int perNode_ = 0;  // devices of each node, if all are equal in this and in their links; else 0
    std::vector<LinkSpeed> within_;
    std::vector<LinkSpeed> between_;  // [one · nodes + other]
    LinkSpeed network_;
};

}  // namespace fl::plan
