// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/topology_layout.h"

#include <algorithm>
#include <cmath>

namespace fl::panels {

namespace {

constexpr double kPadding = 12;
constexpr double kCardGap = 8;
constexpr double kHeader = 32;
constexpr double kRowGap = 32;
constexpr double kCaption = 20;
constexpr double kNodeGap = 13;
constexpr double kNarrowGutter = 190;  // labels stand above and below the fabric
constexpr double kWideGutter = 300;    // labels stand beside it
constexpr double kFabricWidth = 74;
constexpr double kFabricHeight = 150;
constexpr double kWireGap = 5;
constexpr std::size_t kMostWires = 4;
constexpr std::size_t kFoldAbove = 8;
constexpr double kWantedAspect = 2.3;

bool alike(const protocol::NodeInfo& a, const protocol::NodeInfo& b) {
    if (a.devices.size() != b.devices.size())
        return false;
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
        if (a.devices[i].kind != b.devices[i].kind ||
            a.devices[i].memoryBytes != b.devices[i].memoryBytes)
            return false;
    }
    return true;
}

std::vector<NodeBox> shownNodes(const protocol::Topology& topology,
                                const LayoutOptions& options,
                                bool fold) {
    std::vector<NodeBox> shown;
    for (std::size_t node = 0; node < topology.nodes.size(); ++node) {
        const bool kept =
            std::find(options.keep.begin(), options.keep.end(), int(node)) != options.keep.end();
        const auto same = std::find_if(shown.begin(), shown.end(), [&](const NodeBox& box) {
            const bool other =
                std::find(options.keep.begin(), options.keep.end(), box.node) != options.keep.end();
            return !other && alike(topology.nodes[std::size_t(box.node)], topology.nodes[node]);
        });
        if (fold && !kept && same != shown.end()) {
            ++same->folded;
            continue;
        }
        NodeBox box;
        box.node = int(node);
        shown.push_back(box);
    }
    return shown;
}

// Sizes a node's box and places its cards relative to the box's corner.
void placeCards(NodeBox& box, int cards, bool captions) {
    box.columns = std::max(1, cardColumns(cards));
    box.rows = (std::max(cards, 1) + box.columns - 1) / box.columns;
    const double width = 2 * kPadding + box.columns * kCardWidth + (box.columns - 1) * kCardGap;
    double y = kHeader;
    for (int row = 0; row < box.rows; ++row) {
        if (captions) {
            box.captions.emplace_back(kPadding, y - 4, width - 2 * kPadding, kCaption);
            y += kCaption - 4;
        }
        for (int column = 0; column < box.columns && row * box.columns + column < cards; ++column)
            box.cards.emplace_back(kPadding + column * (kCardWidth + kCardGap), y, kCardWidth,
                                   kCardHeight);
        y += kCardHeight;
        if (row + 1 < box.rows || box.rows == 1) {
            box.bars.push_back(y + kRowGap / 2);
            y += kRowGap;
        }
    }
    // Names and stages of the header need the width of three cards.
    box.box = QRectF(0, 0, std::max(width, 2 * kPadding + 3 * kCardWidth + 2 * kCardGap),
                     y + (box.rows == 1 ? 0 : 11));
}

void moveTo(NodeBox& box, QPointF corner) {
    box.box.moveTopLeft(corner);
    for (QRectF& card : box.cards)
        card.translate(corner);
    for (QRectF& caption : box.captions)
        caption.translate(corner);
    for (double& bar : box.bars)
        bar += corner.y();
}

// Columns a side that bring the whole nearest to the shape of a wide panel.
int columnsPerSide(int perSide, double width, double height) {
    int best = 1;
    double nearest = 1e9;
    for (int columns = 1; columns <= perSide; ++columns) {
        const int rows = (perSide + columns - 1) / columns;
        const double aspect =
            (2 * columns * (width + kNodeGap) + kNarrowGutter) / (rows * (height + kNodeGap));
        const double distance = std::abs(std::log(aspect / kWantedAspect));
        if (distance < nearest - 1e-9) {
            nearest = distance;
            best = columns;
        }
    }
    return best;
}

// Nested right-angled lines that never cross: the one that starts nearest to the fabric's height
// turns first.
QPolygonF wirePath(
    const NodeBox& node, const QRectF& fabric, double startY, double endY, double turn) {
    const double startX = node.left ? node.box.right() : node.box.left();
    const double endX = node.left ? fabric.left() : fabric.right();
    QPolygonF path;
    path << QPointF(startX, startY);
    if (std::abs(startY - endY) > 0.5)
        path << QPointF(turn, startY) << QPointF(turn, endY);
    path << QPointF(endX, endY);
    return path;
}

void addWires(TopologyLayout& layout,
              const protocol::Topology& topology,
              const NodeBox& node,
              bool wide) {
    const std::vector<int> links = networkLinks(topology, node.node);
    const auto count = std::min(links.size(), kMostWires);
    const QRectF& fabric = layout.fabric;
    const double height = double(count > 0 ? count - 1 : 0) * kWireGap;
    const double below = node.box.center().y() - fabric.center().y();
    const bool level = std::abs(below) < 12;
    const double side = below < 0 ? -1 : 1;
    // Upper nodes enter the upper part of the fabric, lower ones the lower part.
    const double startY =
        level ? fabric.center().y() - height / 2 : node.box.center().y() - height / 2;
    const double endY =
        level ? startY : fabric.center().y() + side * fabric.height() * 0.3 - height / 2;
    const double middle =
        node.left ? (node.box.right() + fabric.left()) / 2 : (node.box.left() + fabric.right()) / 2;
    for (std::size_t i = 0; i < count; ++i) {
        const double step = double(i) * kWireGap;
        const double outward = (below < 0 ? height - step : step) - height / 2;
        const double turn = middle + (node.left ? outward : -outward);
        layout.wires.push_back(
            {node.node, links[i], wirePath(node, fabric, startY + step, endY + step, turn)});
    }
    if (count == 0)
        return;
    WireLabel label;
    label.node = node.node;
    label.rightAligned = node.left && !wide;
    if (wide) {
        const double x = node.left ? node.box.right() + 8
                                   : fabric.right() + (node.box.left() - fabric.right()) - 98;
        label.rightAligned = !node.left;
        label.box = QRectF(x, startY - 38, 90, 32);
    } else {
        const double center = fabric.center().x();
        const double y = below < 0 ? fabric.top() - 64 : fabric.bottom() + 32;
        label.box = node.left ? QRectF(center - 90, y, 84, 32) : QRectF(center + 6, y, 84, 32);
    }
    layout.labels.push_back(label);
}

}  // namespace

int cardColumns(int cards) {
    return cards <= 4 ? cards : std::min(8, (cards + 1) / 2);
}

std::vector<int> networkLinks(const protocol::Topology& topology, int node) {
    std::vector<int> links;
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        const protocol::LinkInfo& link = topology.links[i];
        if (link.fromNode != link.toNode && (link.fromNode == node || link.toNode == node))
            links.push_back(int(i));
    }
    return links;
}

std::vector<int> innerLinks(const protocol::Topology& topology, int node) {
    std::vector<int> links;
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        if (topology.links[i].fromNode == node && topology.links[i].toNode == node)
            links.push_back(int(i));
    }
    return links;
}

TopologyLayout layOut(const protocol::Topology& topology, const LayoutOptions& options) {
    TopologyLayout layout;
    layout.folds = options.fold && topology.nodes.size() > kFoldAbove;
    layout.nodes = shownNodes(topology, options, layout.folds);
    if (layout.nodes.empty())
        return layout;
    QSizeF cell;
    for (NodeBox& node : layout.nodes) {
        placeCards(node, int(topology.nodes[std::size_t(node.node)].devices.size()),
                   options.captions);
        cell = cell.expandedTo(node.box.size());
    }
    const int count = int(layout.nodes.size());
    const bool several = topology.nodes.size() > 1;
    const int perSide = several ? (count + 1) / 2 : 1;
    const int columns = columnsPerSide(perSide, cell.width(), cell.height());
    const int rows = (perSide + columns - 1) / columns;
    const bool wide = rows != 2;
    const double gutter = several ? (wide ? kWideGutter : kNarrowGutter) : 0;
    const double sideWidth = columns * cell.width() + (columns - 1) * kNodeGap;
    for (int i = 0; i < count; ++i) {
        NodeBox& node = layout.nodes[std::size_t(i)];
        node.left = i < perSide;
        const int place = node.left ? i : i - perSide;
        const double x =
            (place / rows) * (cell.width() + kNodeGap) + (node.left ? 0 : sideWidth + gutter);
        moveTo(node, {x, (place % rows) * (cell.height() + kNodeGap)});
        layout.bounds |= node.box;
    }
    if (several) {
        const double center = sideWidth + gutter / 2;
        layout.fabric =
            QRectF(center - kFabricWidth / 2, layout.bounds.center().y() - kFabricHeight / 2,
                   kFabricWidth, kFabricHeight);
        layout.bounds |= layout.fabric;
        for (const NodeBox& node : layout.nodes)
            addWires(layout, topology, node, wide);
    }
    return layout;
}

}  // namespace fl::panels
