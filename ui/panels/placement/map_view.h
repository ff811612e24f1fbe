// SPDX-License-Identifier: GPL-3.0-or-later
// Which cells of a placement map stand where: zoom and scroll over a grid of ranks and rows.
// Cells of four pixels and more are equally wide; smaller ones share the pixels there are, so that
// a thousand ranks fit any window.
#pragma once

#include <QPoint>
#include <QRect>

namespace fl::panels {

class MapView {
public:
    struct Shape {
        int columns = 0;
        int rows = 0;
        bool hasEmbed = false;  // the first row stands apart
        bool hasHead = false;   // so does the last
        bool operator==(const Shape&) const = default;
    };

    // Another shape is shown whole; the same one keeps its zoom. `gap` parts the edge rows.
    void setShape(const Shape& shape, const QRect& viewport, int gap);
    const QRect& viewport() const { return viewport_; }

    // Limits of a cell while the whole map is shown, and of a cell one has zoomed into.
    void setLimits(QSize fitted, QSize zoomed);
    void fit();
    bool isFitted() const { return fitted_; }
    // Makes cells `factor` as large and keeps what is at `about`.
    void zoom(double factor, const QPoint& about);
    void pan(const QPoint& by);
    // Scrolls so that the cell is seen.
    void reveal(int column, int row);

    double cellWidth() const { return cellWidth_; }
    double cellHeight() const { return cellHeight_; }
    int gap() const { return cellWidth_ >= kGapFrom && cellHeight_ >= kGapFrom ? 1 : 0; }

    // In pixels of the widget; the last pixel of a cell is its gap.
    int left(int column) const;
    int top(int row) const;
    QRect cell(int column, int row) const;
    // The pixels of the map, as far as they are seen.
    QRect content() const;
    int columnAt(int x) const;  // clamped
    int rowAt(int y) const;     // clamped
    // Column and row; −1, −1 outside or between rows.
    QPoint cellAt(const QPoint& place) const;

    static constexpr int kGapFrom = 4;

private:
    int contentWidth() const;
    int contentHeight() const;
    int rowOffset(int row) const;
    void clampScroll();

    Shape shape_;
    QRect viewport_;
    int edgeGap_ = 0;
    QSize mostFitted_{64, 22};
    QSize mostZoomed_{160, 64};
    double cellWidth_ = 1;
    double cellHeight_ = 1;
    QPoint scroll_;
    bool fitted_ = true;
};

}  // namespace fl::panels
