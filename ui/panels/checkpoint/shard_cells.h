// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a checkpoint as cells that fill from below while they are read.
#pragma once

#include <QPointer>
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
    QRect cellRect(int row) const;

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
    int columns(int width) const;
    int cellAt(const QPoint& place) const;
    void paintCell(QPainter& painter, int row) const;

    const widgets::Theme& theme_;
    QAbstractItemModel* shards_;
    int hovered_ = -1;
    int selected_ = -1;
};

}  // namespace fl::panels
