// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a checkpoint as cells that fill from below while they are read. Where there are more
// files than anyone can look at, a cell stands for several that follow each other and shows the
// worst.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

class QAbstractItemModel;

namespace fl::panels {

class ShardCells : public QWidget {
    Q_OBJECT

public:
    // `shards` answers the roles of models::ShardModel, one row a cell.
    ShardCells(const widgets::Theme& theme, QAbstractItemModel* shards, QWidget* parent = nullptr);

    void select(int row);
    int selected() const { return selected_; }
    QRect cellRect(int row) const;  // of the cell that stands for this file
    int filesPerCell() const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(int row);
    // −1: none. `cell` in global pixels.
    void hovered(int row, const QRect& cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Cell {
        int first = 0;
        int count = 1;
        int worst = 0;  // row of the file whose state is shown
        QString state;
        double fraction = 0;  // mean
    };
    const std::vector<Cell>& cells() const;  // read again where files changed
    Cell read(int first, int count) const;
    int columns(int width) const;
    QRect rectOf(int cell) const;
    int cellAt(const QPoint& place) const;
    void paintCell(QPainter& painter, int number) const;
    void paintNumber(QPainter& painter, int number) const;
    QString labelOf(const Cell& cell) const;

    const widgets::Theme& theme_;
    QAbstractItemModel* shards_;
    mutable std::vector<Cell> cells_;
    mutable bool stale_ = true;
    int hovered_ = -1;   // a cell
    int selected_ = -1;  // a file
};

}  // namespace fl::panels
