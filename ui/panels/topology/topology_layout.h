// SPDX-License-Identifier: GPL-3.0-or-later
// Where nodes, cards, the fabric and its wires stand, in pixels at scale 1. Pure geometry, so that
// one node with six cards and 128 nodes with eight are laid out by the same rules.
#pragma once

#include <vector>

#include <QPolygonF>
#include <QRectF>
#include <QString>

#include "engine/protocol/messages.h"

namespace fl::panels {

constexpr double kCardWidth = 76;
constexpr double kCardHeight = 46;

struct NodeBox {
    int node = 0;    // index into the topology
    int folded = 1;  // equal nodes shown by this box
    bool left = true;
    int columns = 0;
    int rows = 0;
    QRectF box;
    std::vector<QRectF> cards;     // one per device
    std::vector<double> bars;      // y of the link bars between or below rows
    std::vector<QRectF> captions;  // above each row, where a row is a pipeline stage; else empty
};

struct Wire {
    int node = 0;
    int link = 0;  // index into the topology's links
    QPolygonF path;
};

struct WireLabel {
    int node = 0;
    QRectF box;
    bool rightAligned = false;
};

struct TopologyLayout {
    std::vector<NodeBox> nodes;
    QRectF fabric;  // null with a single node
    std::vector<Wire> wires;
    std::vector<WireLabel> labels;
    QRectF bounds;
    bool folds = false;  // equal nodes are one box unless they are kept
};

struct LayoutOptions {
    // Rows of cards get a caption of their own (several pipeline stages in one node).
    bool captions = false;
    // Equal nodes beyond the eighth are folded into the first.
    bool fold = true;
    // Nodes that must stay visible by themselves.
    std::vector<int> keep;
};

TopologyLayout layOut(const protocol::Topology& topology, const LayoutOptions& options);

// Cards of one row: 4 for 8, 3 for 6, all of up to 4.
int cardColumns(int cards);
// Network links that end at a node.
std::vector<int> networkLinks(const protocol::Topology& topology, int node);
// Links inside a node, whatever their kind.
std::vector<int> innerLinks(const protocol::Topology& topology, int node);

}  // namespace fl::panels
