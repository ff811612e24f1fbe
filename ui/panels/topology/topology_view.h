// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the topology's scene: dotted ground, zoom by wheel, pan by dragging, fit, a rank picked
// by click or arrow keys.
#pragma once

#include <QGraphicsView>
#include <QVariantAnimation>

#include "ui/widgets/theme.h"

namespace fl::panels {

class NodeItem;

class TopologyView : public QGraphicsView {
    Q_OBJECT

public:
    TopologyView(const widgets::Theme& theme, QGraphicsScene* scene, QWidget* parent = nullptr);

    // All of it, as large as it goes up to `most` times its natural size.
    void fit(bool animated);
    void refit();  // where the whole picture is seen, it stays so
    void zoom(double factor);
    // Small scenes may grow further than large ones.
    void setMost(double most) { most_ = most; }

signals:
    void rankClicked(int rank);                     // −1: the ground
    void rankHovered(int rank, const QRect& card);  // −1: none; card in global pixels
    void stepped(int by);                           // arrow keys

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    double fitScale() const;
    void apply(double scale, const QPointF& center);
    void hover(const QPoint& place);
    NodeItem* nodeAt(const QPoint& place, int* card) const;

    const widgets::Theme& theme_;
    QVariantAnimation animation_;
    double most_ = 1;
    bool fitted_ = true;
    bool dragged_ = false;
    QPoint pressed_;
    int hovered_ = -1;
};

}  // namespace fl::panels
