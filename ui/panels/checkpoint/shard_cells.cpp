// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/shard_cells.h"

#include <algorithm>

#include <QAbstractItemModel>
#include <QMouseEvent>
#include <QPainter>

#include "ui/models/shard_model.h"
#include "ui/widgets/paint.h"

namespace fl::panels {

using models::ShardModel;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kCellWidth = 24;
constexpr int kCellHeight = 30;
constexpr int kGap = 3;
constexpr int kMargin = 12;
constexpr int kNumbers = 18;  // room below each row of cells
constexpr int kNumberEvery = 4;

}  // namespace

ShardCells::ShardCells(const widgets::Theme& theme, QAbstractItemModel* shards, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      shards_(shards) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setProperty("ringInside", true);
    setAccessibleName(tr("Files of the checkpoint"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(shards_, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(shards_, &QAbstractItemModel::modelReset, this, [this] {
        selected_ = -1;
        updateGeometry();
        update();
    });
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

int ShardCells::columns(int width) const {
    const int cell = theme_.px(kCellWidth + kGap);
    return std::max(1, (width - 2 * theme_.px(kMargin) + theme_.px(kGap)) / cell);
}

int ShardCells::heightForWidth(int width) const {
    const int count = std::max(1, shards_->rowCount());
    const int rows = (count + columns(width) - 1) / columns(width);
    return theme_.px(kMargin) + rows * theme_.px(kCellHeight + kNumbers);
}

QSize ShardCells::sizeHint() const {
    return {theme_.px(400), heightForWidth(std::max(width(), theme_.px(400)))};
}

QSize ShardCells::minimumSizeHint() const {
    return {theme_.px(120), theme_.px(kMargin + kCellHeight + kNumbers)};
}

QRect ShardCells::cellRect(int row) const {
    const int across = columns(width());
    return {theme_.px(kMargin) + row % across * theme_.px(kCellWidth + kGap),
            theme_.px(kMargin) + row / across * theme_.px(kCellHeight + kNumbers),
            theme_.px(kCellWidth), theme_.px(kCellHeight)};
}

int ShardCells::cellAt(const QPoint& place) const {
    for (int row = 0; row < shards_->rowCount(); ++row) {
        if (cellRect(row).contains(place))
            return row;
    }
    return -1;
}

void ShardCells::paintCell(QPainter& painter, int row) const {
    const QRectF cell = cellRect(row);
    const QModelIndex index = shards_->index(row, 0);
    const QString state = index.data(ShardModel::StateRole).toString();
    const double fraction = index.data(ShardModel::FractionRole).toDouble();
    const bool warning = state == QLatin1String("warning");
    const bool broken = state == QLatin1String("broken");
    if (warning || broken) {
        widgets::paintBox(painter, cell, theme_.color(broken ? Token::ErrBg : Token::WarnBg),
                          theme_.color(broken ? Token::Err : Token::Warn), 2, 1);
        painter.setPen(theme_.color(broken ? Token::Err : Token::Warn));
        painter.setFont(theme_.font(TextRole::AxisStrong));
        painter.drawText(cell, Qt::AlignCenter, broken ? QStringLiteral("×") : QStringLiteral("!"));
    } else if (state == QLatin1String("checked")) {
        widgets::paintBox(painter, cell, theme_.seriesArea(3), QColor(), 2);
    } else {
        widgets::paintBox(painter, cell, theme_.color(Token::Bg3), QColor(), 2);
        QRectF filled = cell;
        filled.setTop(cell.bottom() - cell.height() * std::clamp(fraction, 0.0, 1.0));
        if (fraction > 0)
            widgets::paintBox(painter, filled, theme_.color(Token::Accent), QColor(), 2);
    }
    if (row == hovered_ || row == selected_)
        widgets::paintBox(painter, cell.adjusted(-1, -1, 1, 1), QColor(), theme_.color(Token::T1),
                          3, 1.5);
}

void ShardCells::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    painter.setRenderHint(QPainter::Antialiasing);
    const int count = shards_->rowCount();
    for (int row = 0; row < count; ++row) {
        paintCell(painter, row);
        if (row % kNumberEvery != 0 && row + 1 != count)
            continue;
        const QRect cell = cellRect(row);
        painter.setFont(theme_.font(TextRole::Axis));
        painter.setPen(theme_.color(Token::T3));
        painter.drawText(QRect(cell.left() - 8, cell.bottom() + 1, cell.width() + 16, 15),
                         Qt::AlignCenter, QString::number(row + 1));
    }
}

void ShardCells::select(int row) {
    selected_ = row;
    update();
}

void ShardCells::mouseMoveEvent(QMouseEvent* event) {
    const int row = cellAt(event->pos());
    if (row == hovered_)
        return;
    hovered_ = row;
    update();
    QRect cell = row < 0 ? QRect() : cellRect(row);
    cell.moveTopLeft(mapToGlobal(cell.topLeft()));
    emit hovered(row, cell);
}

void ShardCells::mousePressEvent(QMouseEvent* event) {
    select(cellAt(event->pos()));
    emit chosen(selected_);
}

void ShardCells::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Right  ? 1
                   : event->key() == Qt::Key_Left ? -1
                   : event->key() == Qt::Key_Down ? columns(width())
                   : event->key() == Qt::Key_Up   ? -columns(width())
                                                  : 0;
    if (by == 0 || shards_->rowCount() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    select(std::clamp(selected_ + by, 0, shards_->rowCount() - 1));
    emit chosen(selected_);
}

void ShardCells::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
    emit hovered(-1, {});
}

}  // namespace fl::panels
