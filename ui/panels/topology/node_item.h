// SPDX-License-Identifier: GPL-3.0-or-later
// One machine in the topology: its box, its cards and the bar that links them. One item for all
// of them keeps a thousand devices fluid; what is drawn depends on how large a card is on screen.
#pragma once

#include <vector>

#include <QGraphicsItem>

#include "ui/panels/topology/card_state.h"
#include "ui/panels/topology/topology_layout.h"

namespace fl::panels {

struct NodeText {
    QString name;      // "node-a"
    QString kind;      // "8 × H100 80 GiB"
    QString stage;     // "PP 0 · layers 0–15"
    QString link;      // "NVLink"
    QString linkRate;  // "431 of 450 GB/s"
    bool linkSlow = false;
    QString badge;  // "× 128" of a fold
    std::vector<QString> captions;
};

class NodeItem : public QGraphicsItem {
public:
    NodeItem(const widgets::Theme& theme, NodeBox box);

    void setText(NodeText text);
    void setCards(std::vector<CardState> cards);
    // Colour of the link bar while a group inside this node is lit; invalid: as usual.
    void setLink(const QColor& lit, bool formed);

    const NodeBox& node() const { return box_; }
    const std::vector<CardState>& cards() const { return cards_; }
    // Card at a place of the scene; −1: none.
    int cardAt(const QPointF& place) const;

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void paintHeader(QPainter& painter) const;
    void paintCaptions(QPainter& painter) const;
    void paintLinks(QPainter& painter) const;
    void paintBar(QPainter& painter, double y) const;
    void paintCard(QPainter& painter, const QRectF& box, const CardState& card, double width) const;
    void paintCardText(QPainter& painter, const QRectF& box, const CardState& card, bool all) const;
    void paintCells(QPainter& painter) const;

    const widgets::Theme& theme_;
    NodeBox box_;
    NodeText text_;
    std::vector<CardState> cards_;
    QColor linkColor_;
    bool linkFormed_ = true;
};

// A font of the theme in pixels of the scene, whatever the presenter scale is.
QFont sceneFont(const widgets::Theme& theme, widgets::TextRole role, int pixels);

}  // namespace fl::panels
