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
constexpr int kMostCells = 160;  // six rows in a panel of usual width

int severity(const QString& state) {
    static const QStringList order = {QStringLiteral("checked"), QStringLiteral("read"),
                                      QStringLiteral("waiting"), QStringLiteral("reading"),
                                      QStringLiteral("warning"), QStringLiteral("broken")};
    return int(order.indexOf(state));
}

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
    const auto changed = [this] {
        stale_ = true;
        update();
    };
    connect(shards_, &QAbstractItemModel::dataChanged, this, changed);
    connect(shards_, &QAbstractItemModel::modelReset, this, [this] {
        selected_ = hovered_ = -1;
        stale_ = true;
        updateGeometry();
        update();
    });
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

int ShardCells::filesPerCell() const {
    return std::max(1, (shards_->rowCount() + kMostCells - 1) / kMostCells);
}

int ShardCells::columns(int width) const {
    const int cell = theme_.px(kCellWidth + kGap);
    return std::max(1, (width - 2 * theme_.px(kMargin) + theme_.px(kGap)) / cell);
}

int ShardCells::heightForWidth(int width) const {
    const int files = std::max(1, shards_->rowCount());
    const int count = (files + filesPerCell() - 1) / filesPerCell();
    const int rows = (count + columns(width) - 1) / columns(width);
    return theme_.px(kMargin) + rows * theme_.px(kCellHeight + kNumbers);
}

QSize ShardCells::sizeHint() const {
    return {theme_.px(400), heightForWidth(std::max(width(), theme_.px(400)))};
}

QSize ShardCells::minimumSizeHint() const {
    return {theme_.px(120), theme_.px(kMargin + kCellHeight + kNumbers)};
}

ShardCells::Cell ShardCells::read(int first, int count) const {
    Cell cell{first, count, first, {}, 0};
    for (int row = first; row < first + count; ++row) {
        const QModelIndex index = shards_->index(row, 0);
        const QString state = index.data(ShardModel::StateRole).toString();
        cell.fraction += index.data(ShardModel::FractionRole).toDouble() / count;
        if (row == first || severity(state) > severity(cell.state)) {
            cell.state = state;
            cell.worst = row;
        }
    }
    return cell;
}

const std::vector<ShardCells::Cell>& ShardCells::cells() const {
    if (stale_) {
        cells_.clear();
        const int files = shards_->rowCount();
        const int each = filesPerCell();
        for (int first = 0; first < files; first += each)
            cells_.push_back(read(first, std::min(each, files - first)));
        stale_ = false;
    }
    return cells_;
}

QRect ShardCells::cellRect(int row) const {
    return rectOf(row / filesPerCell());
}

QRect ShardCells::rectOf(int cell) const {
    const int across = columns(width());
    return {theme_.px(kMargin) + cell % across * theme_.px(kCellWidth + kGap),
            theme_.px(kMargin) + cell / across * theme_.px(kCellHeight + kNumbers),
            theme_.px(kCellWidth), theme_.px(kCellHeight)};
}

int ShardCells::cellAt(const QPoint& place) const {
    const int column = (place.x() - theme_.px(kMargin)) / theme_.px(kCellWidth + kGap);
    const int line = (place.y() - theme_.px(kMargin)) / theme_.px(kCellHeight + kNumbers);
    const int cell = line * columns(width()) + column;
    const bool inside = column >= 0 && column < columns(width()) && cell >= 0 &&
                        cell < int(cells().size()) && rectOf(cell).contains(place);
    return inside ? cell : -1;
}

void ShardCells::paintCell(QPainter& painter, int number) const {
    const QRectF cell = rectOf(number);
    const Cell& files = cells()[std::size_t(number)];
    const bool warning = files.state == QLatin1String("warning");
    const bool broken = files.state == QLatin1String("broken");
    if (warning || broken) {
        widgets::paintBox(painter, cell, theme_.color(broken ? Token::ErrBg : Token::WarnBg),
                          theme_.color(broken ? Token::Err : Token::Warn), 2, 1);
        painter.setPen(theme_.color(broken ? Token::Err : Token::Warn));
        painter.setFont(theme_.font(TextRole::AxisStrong));
        painter.drawText(cell, Qt::AlignCenter, broken ? QStringLiteral("×") : QStringLiteral("!"));
    } else if (files.state == QLatin1String("checked")) {
        widgets::paintBox(painter, cell, theme_.seriesArea(3), QColor(), 2);
    } else {
        widgets::paintBox(painter, cell, theme_.color(Token::Bg3), QColor(), 2);
        QRectF filled = cell;
        filled.setTop(cell.bottom() - cell.height() * std::clamp(files.fraction, 0.0, 1.0));
        if (files.fraction > 0)
            widgets::paintBox(painter, filled, theme_.color(Token::Accent), QColor(), 2);
    }
    const bool chosen = selected_ >= files.first && selected_ < files.first + files.count;
    if (number == hovered_ || chosen)
        widgets::paintBox(painter, cell.adjusted(-1, -1, 1, 1), QColor(), theme_.color(Token::T1),
                          3, 1.5);
}

// One file has its number, several have those of the first and, at the end, the last.
QString ShardCells::labelOf(const Cell& cell) const {
    const bool last = cell.first + cell.count == shards_->rowCount();
    return QString::number(last ? cell.first + cell.count : cell.first + 1);
}

void ShardCells::paintNumber(QPainter& painter, int number) const {
    const QRect cell = rectOf(number);
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(Token::T3));
    painter.drawText(QRect(cell.left() - 12, cell.bottom() + 1, cell.width() + 24, 15),
                     Qt::AlignCenter, labelOf(cells()[std::size_t(number)]));
}

void ShardCells::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.fillRect(event->rect(), theme_.color(Token::Bg1));
    painter.setRenderHint(QPainter::Antialiasing);
    const int count = int(cells().size());
    for (int cell = 0; cell < count; ++cell) {
        const QRect around = rectOf(cell).adjusted(-12, -2, 12, theme_.px(kNumbers));
        if (!around.intersects(event->rect()))
            continue;
        paintCell(painter, cell);
        if (cell % kNumberEvery == 0 || cell + 1 == count)
            paintNumber(painter, cell);
    }
}

void ShardCells::select(int row) {
    selected_ = row;
    update();
}

void ShardCells::mouseMoveEvent(QMouseEvent* event) {
    const int under = cellAt(event->pos());
    if (under == hovered_)
        return;
    hovered_ = under;
    update();
    QRect cell = under < 0 ? QRect() : rectOf(under);
    cell.moveTopLeft(mapToGlobal(cell.topLeft()));
    emit hovered(under < 0 ? -1 : cells()[std::size_t(under)].worst, cell);
}

void ShardCells::mousePressEvent(QMouseEvent* event) {
    const int under = cellAt(event->pos());
    select(under < 0 ? -1 : cells()[std::size_t(under)].worst);
    emit chosen(selected_);
}

void ShardCells::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Right  ? 1
                   : event->key() == Qt::Key_Left ? -1
                   : event->key() == Qt::Key_Down ? columns(width())
                   : event->key() == Qt::Key_Up   ? -columns(width())
                                                  : 0;
    if (by == 0 || cells().empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int from = selected_ < 0 ? -1 : selected_ / filesPerCell();
    const int to = std::clamp(from + by, 0, int(cells().size()) - 1);
    select(cells()[std::size_t(to)].worst);
    emit chosen(selected_);
}

void ShardCells::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
    emit hovered(-1, {});
}

}  // namespace fl::panels
