// SPDX-License-Identifier: GPL-3.0-or-later
// A cell of the placement map, looked into: its experts as small cells, its other tensors as bars.
#pragma once

#include <QWidget>

#include "ui/panels/placement/cell_parts.h"
#include "ui/widgets/theme.h"

namespace fl::panels {

class CellView : public QWidget {
    Q_OBJECT

public:
    explicit CellView(const widgets::Theme& theme, QWidget* parent = nullptr);

    // "Layer 34 on r21", "node-c · card 5".
    void setCell(const QString& title, const QString& subtitle, CellParts parts);
    const CellParts& parts() const { return parts_; }
    // Outlines an expert; −1: none.
    void selectExpert(int expert);
    QRect expertRect(std::size_t index) const;  // place in parts().experts
    QRect otherRect(std::size_t index) const;   // place in parts().others

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    // One of them is −1; both: nothing. `box` in global pixels.
    void partHovered(int expert, int other, const QRect& box);
    void partChosen(int expert, int other);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    CellPlace placeAt(const QPoint& point) const;
    QRect boxOf(const CellPlace& place) const;
    int columns() const;
    int expertSize() const;
    int expertsBottom() const;
    void paintExperts(QPainter& painter) const;
    void paintOthers(QPainter& painter) const;
    void choose(const CellPlace& place);

    const widgets::Theme& theme_;
    QString title_;
    QString subtitle_;
    CellParts parts_;
    CellPlace hovered_;
    CellPlace selected_;
};

}  // namespace fl::panels
