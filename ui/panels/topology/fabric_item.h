// SPDX-License-Identifier: GPL-3.0-or-later
// The network between the nodes: wires behind the boxes, the fabric in the middle, what was
// measured beside each bundle.
#pragma once

#include <vector>

#include <QGraphicsItem>

#include "ui/panels/topology/topology_layout.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

struct FabricText {
    QString count;                // "4 × 400"
    QString unit;                 // "Gb/s per node"
    std::vector<QString> labels;  // of TopologyLayout::labels: "187 of 200"
    std::vector<bool> slowLabels;
    std::vector<bool> slowWires;  // of TopologyLayout::wires
    std::vector<bool> litWires;
};

class FabricItem : public QGraphicsItem {
public:
    FabricItem(const widgets::Theme& theme, const TopologyLayout& layout);

    void setText(FabricText text);
    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintWires(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void paintFabric(QPainter& painter) const;

    const widgets::Theme& theme_;
    QRectF box_;
    QRectF bounds_;
    std::vector<Wire> wires_;
    std::vector<WireLabel> labels_;
    FabricText text_;
};

}  // namespace fl::panels
