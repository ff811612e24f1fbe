// SPDX-License-Identifier: GPL-3.0-or-later
// The words on a node's box and at its wires.
#pragma once

#include "ui/panels/topology/node_item.h"
#include "ui/panels/topology/topology_layout.h"

namespace fl::panels {

// True if one node holds several pipeline stages and each row of cards is in one of them.
bool rowsAreStages(const models::Models& models);
NodeText nodeText(const models::Models& models, const NodeBox& box, TopologyMeasure measure);
// "431 of 450 GB/s", "18.4 GB/s", "450 GB/s nominal"; empty if nothing is known.
QString rateText(double measured, double nominal);
// Sum over a node's network links, and whether one of them is slow.
struct NodeNetwork {
    double measured = 0;
    double nominal = 0;
    int links = 0;
    bool slow = false;
};
NodeNetwork nodeNetwork(const protocol::Topology& topology, int node);

}  // namespace fl::panels
