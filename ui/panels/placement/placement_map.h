// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map of a plan: layers down, ranks across, one image. Stage boundaries can be dragged.
#pragma once

#include <QImage>
#include <QWidget>

#include "ui/panels/placement/placement_grid.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

class PlacementMap : public QWidget {
    Q_OBJECT

public:
    explicit PlacementMap(const widgets::Theme& theme, QWidget* parent = nullptr);

    void setGrid(PlacementGrid grid, ColourBy by);
    // Outlines a cell; row as in the grid. Column −1: none.
    void select(int column, int row);
    const PlacementGrid& grid() const { return grid_; }
    // Of a cell, in pixels of the widget.
    QRect cellRect(int column, int row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    // −1: the pointer is on no cell. `cell` in global pixels.
    void cellHovered(int column, int row, const QRect& cell);
    void cellChosen(int column, int row);
    // The stage that ends here shall end before `layer`.
    void boundaryMoved(int stage, int layer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void layOut();
    void render();
    QColor colorOf(const GridCell& cell) const;
    QPoint cellAt(const QPoint& place) const;  // column, row; −1: none
    int rowTop(int row) const;
    QRectF handleRect(const PlacementGrid::Boundary& boundary, int layer) const;
    void paintAxis(QPainter& painter) const;
    void paintEdges(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;

    const widgets::Theme& theme_;
    PlacementGrid grid_;
    ColourBy by_ = ColourBy::Bytes;
    QImage image_;
    QRect area_;
    int cellWidth_ = 1;
    int cellHeight_ = 1;
    QPoint hovered_{-1, -1};
    QPoint selected_{-1, -1};
    int dragged_ = -1;  // index of a boundary
    int draggedLayer_ = 0;
};

}  // namespace fl::panels
