// SPDX-License-Identifier: GPL-3.0-or-later
// The heat map of a plan: layers down, ranks across. The wheel zooms, dragging pans, a double click
// shows all of it again; stage boundaries can be dragged.
#pragma once

#include <QImage>
#include <QWidget>

#include "ui/panels/placement/map_view.h"
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
    QPoint selected() const { return selected_; }
    // Lines lead from the selected cell to the right edge, where its parts are shown.
    void setJoined(bool joined);
    const PlacementGrid& grid() const { return grid_; }
    // Of a cell, in pixels of the widget.
    QRect cellRect(int column, int row) const { return view_.cell(column, row); }

    void fit();
    void zoom(double factor, const QPoint& about);
    // About the selected cell, or the middle.
    void zoomIn();
    void zoomOut();
    bool isFitted() const { return view_.isFitted(); }

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
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void layOut();
    void viewChanged();
    int handleAt(const QPoint& place) const;  // index of a boundary; −1: none
    QRectF handleRect(const PlacementGrid::Boundary& boundary, int layer) const;
    void moveSelection(const QPoint& by);
    void paintAxis(QPainter& painter) const;
    void paintNodes(QPainter& painter) const;
    void paintNumbers(QPainter& painter) const;
    void paintEdges(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void paintBytesLegend(QPainter& painter, int y) const;
    void paintOutlines(QPainter& painter) const;

    const widgets::Theme& theme_;
    PlacementGrid grid_;
    ColourBy by_ = ColourBy::Bytes;
    MapView view_;
    QImage image_;  // null: to be made by the next painting
    QPoint hovered_{-1, -1};
    QPoint selected_{-1, -1};
    QPoint pressed_;
    QPoint last_;
    bool panning_ = false;
    bool joined_ = false;
    int dragged_ = -1;  // index of a boundary
    int draggedLayer_ = 0;
};

}  // namespace fl::panels
