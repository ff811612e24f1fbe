// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_map.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "ui/models/text.h"
#include "ui/widgets/paint.h"

namespace fl::panels {

using models::bytesText;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kLeft = 48;
constexpr int kTop = 24;
constexpr int kBottom = 30;
constexpr int kRight = 14;
constexpr int kEdgeGap = 5;  // between layers and embedding or head
constexpr int kMostCellWidth = 64;
constexpr int kMostCellHeight = 22;
constexpr int kGapFrom = 4;  // cells smaller than this stand without a gap
constexpr int kHandleWidth = 26;
constexpr int kHandleHeight = 8;
constexpr int kLegendWidth = 96;

}  // namespace

PlacementMap::PlacementMap(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setProperty("ringInside", true);
    setAccessibleName(tr("Placement map, layers by ranks"));
    connect(&theme_, &widgets::Theme::changed, this, [this] { layOut(); });
}

QSize PlacementMap::sizeHint() const {
    return {theme_.px(460), theme_.px(330)};
}

QSize PlacementMap::minimumSizeHint() const {
    return {theme_.px(220), theme_.px(160)};
}

void PlacementMap::setGrid(PlacementGrid grid, ColourBy by) {
    grid_ = std::move(grid);
    by_ = by;
    hovered_ = {-1, -1};
    if (selected_.x() >= int(grid_.ranks.size()) || selected_.y() >= grid_.rows())
        selected_ = {-1, -1};
    setAccessibleDescription(tr("%1 layers, %2 ranks. Arrow keys choose a cell.")
                                 .arg(grid_.layers)
                                 .arg(grid_.ranks.size()));
    layOut();
}

void PlacementMap::select(int column, int row) {
    selected_ = {column, row};
    update();
}

void PlacementMap::layOut() {
    const int columns = std::max(1, int(grid_.ranks.size()));
    const int gaps = theme_.px(kEdgeGap) * ((grid_.hasEmbed ? 1 : 0) + (grid_.hasHead ? 1 : 0));
    const int wide = width() - theme_.px(kLeft + kRight);
    const int high = height() - theme_.px(kTop + kBottom) - gaps;
    cellWidth_ = std::clamp(wide / columns, 1, theme_.px(kMostCellWidth));
    cellHeight_ = std::clamp(high / std::max(1, grid_.rows()), 1, theme_.px(kMostCellHeight));
    area_ = QRect(theme_.px(kLeft), theme_.px(kTop), cellWidth_ * columns,
                  cellHeight_ * grid_.rows() + gaps);
    render();
    update();
}

int PlacementMap::rowTop(int row) const {
    int top = row * cellHeight_;
    if (grid_.hasEmbed && row > 0)
        top += theme_.px(kEdgeGap);
    if (grid_.hasHead && row == grid_.rows() - 1)
        top += theme_.px(kEdgeGap);
    return top;
}

QColor PlacementMap::colorOf(const GridCell& cell) const {
    if (by_ == ColourBy::Bytes)
        return theme_.sequential(
            grid_.most > 0 ? std::min(1.0, double(cell.bytes) / double(grid_.most) * 0.72) : 0);
    return cell.category < 0 ? theme_.color(Token::Bg3) : theme_.seriesArea(cell.category + 1);
}

// One image, made when the plan or the size changes: painting is one copy.
void PlacementMap::render() {
    image_ = QImage(area_.size().expandedTo({1, 1}), QImage::Format_RGB32);
    image_.fill(theme_.color(Token::Bg0));
    QPainter painter(&image_);
    const int gapX = cellWidth_ >= kGapFrom ? 1 : 0;
    const int gapY = cellHeight_ >= kGapFrom ? 1 : 0;
    for (int row = 0; row < grid_.rows(); ++row) {
        for (int column = 0; column < int(grid_.ranks.size()); ++column) {
            const GridCell& cell = grid_.at(column, row);
            if (!cell.present)
                continue;
            const QRect box(column * cellWidth_, rowTop(row), cellWidth_ - gapX,
                            cellHeight_ - gapY);
            painter.fillRect(box, colorOf(cell));
            if (by_ != ColourBy::Bytes && cell.category < 0) {
                painter.setPen(theme_.color(Token::Line2));
                painter.drawLine(box.bottomLeft(), box.topRight());
            }
        }
    }
}

QRect PlacementMap::cellRect(int column, int row) const {
    return {area_.left() + column * cellWidth_, area_.top() + rowTop(row), cellWidth_, cellHeight_};
}

QPoint PlacementMap::cellAt(const QPoint& place) const {
    if (!area_.contains(place) || grid_.ranks.empty())
        return {-1, -1};
    const int column =
        std::min((place.x() - area_.left()) / cellWidth_, int(grid_.ranks.size()) - 1);
    for (int row = 0; row < grid_.rows(); ++row) {
        if (cellRect(column, row).contains(place))
            return grid_.at(column, row).present ? QPoint(column, row) : QPoint(-1, -1);
    }
    return {-1, -1};
}

QRectF PlacementMap::handleRect(const PlacementGrid::Boundary& boundary, int layer) const {
    const double y = area_.top() + rowTop(grid_.rowOfLayer(layer)) - 0.5;
    const double x = area_.left() + boundary.column * cellWidth_;
    return {x - theme_.px(kHandleWidth) / 2.0, y - theme_.px(kHandleHeight) / 2.0,
            double(theme_.px(kHandleWidth)), double(theme_.px(kHandleHeight))};
}

void PlacementMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    if (grid_.ranks.empty())
        return;
    painter.drawImage(area_.topLeft(), image_);
    painter.setFont(theme_.font(TextRole::Axis));
    paintAxis(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintEdges(painter);
    paintLegend(painter);
    for (const QPoint& cell : {hovered_, selected_}) {
        if (cell.x() >= 0)
            widgets::paintBox(painter, QRectF(cellRect(cell.x(), cell.y())).adjusted(-1, -1, 0, 0),
                              QColor(), theme_.color(Token::T1), 0, 1.5);
    }
}

void PlacementMap::paintAxis(QPainter& painter) const {
    painter.setPen(theme_.color(Token::T3));
    const int right = area_.left() - theme_.px(6);
    const auto label = [&](int row, const QString& text) {
        const int y = area_.top() + rowTop(row) + cellHeight_ / 2;
        painter.drawText(QRect(0, y - 8, right, 16), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    // The edge rows have names; numbers keep away from them.
    if (grid_.hasEmbed)
        label(0, tr("embed"));
    if (grid_.hasHead)
        label(grid_.rows() - 1, tr("head"));
    int step = 1;
    while (step * cellHeight_ < theme_.px(22))
        step *= step == 1 || step == 10 ? 5 : 2;
    const int room = cellHeight_ < theme_.px(14) ? 1 : 0;
    for (int layer = 0; layer < grid_.layers; layer += step) {
        const bool nearTop = grid_.hasEmbed && layer * cellHeight_ < theme_.px(12) * room;
        const bool nearEnd =
            grid_.hasHead && (grid_.layers - layer) * cellHeight_ < theme_.px(14) * room;
        if (!nearTop && !nearEnd)
            label(grid_.rowOfLayer(layer), QString::number(layer));
    }
    painter.setPen(theme_.color(Token::T2));
    for (const PlacementGrid::Span& node : grid_.nodes) {
        const int first = grid_.ranks[std::size_t(node.first)];
        const int last = grid_.ranks[std::size_t(node.first + node.count - 1)];
        const QRect box(area_.left() + node.first * cellWidth_, 0, node.count * cellWidth_,
                        area_.top() - 2);
        const QString ranks =
            first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
        const QString whole = node.name + QStringLiteral(" · ") + ranks;
        const bool fits = painter.fontMetrics().horizontalAdvance(whole) <= box.width();
        painter.drawText(box, Qt::AlignCenter, fits ? whole : ranks);
    }
}

void PlacementMap::paintEdges(QPainter& painter) const {
    painter.setPen(QPen(theme_.color(Token::Line2), 1));
    for (const PlacementGrid::Span& node : grid_.nodes) {
        if (node.first > 0) {
            const double x = area_.left() + node.first * cellWidth_ - 0.5;
            painter.drawLine(QPointF(x, area_.top() - 4), QPointF(x, area_.bottom()));
        }
    }
    for (std::size_t i = 0; i < grid_.boundaries.size(); ++i) {
        const PlacementGrid::Boundary& boundary = grid_.boundaries[i];
        const int layer = int(i) == dragged_ ? draggedLayer_ : boundary.layer;
        const QRectF handle = handleRect(boundary, layer);
        const double y = handle.center().y();
        painter.setPen(QPen(theme_.color(Token::Accent), 1));
        painter.drawLine(
            QPointF(std::max<double>(area_.left(), handle.center().x() - 3.0 * cellWidth_), y),
            QPointF(std::min<double>(area_.right(), handle.center().x() + 3.0 * cellWidth_), y));
        widgets::paintBox(painter, handle, theme_.color(Token::AccentFill), QColor(), 4);
        painter.setPen(QPen(theme_.color(Token::AccentText), 1));
        for (const double line : {-1.5, 1.5})
            painter.drawLine(QPointF(handle.center().x() - 5, y + line),
                             QPointF(handle.center().x() + 5, y + line));
        if (int(i) == dragged_) {
            painter.setPen(theme_.color(Token::T1));
            painter.drawText(QRectF(handle.right() + 4, y - 8, 120, 16), Qt::AlignVCenter,
                             tr("layer %1").arg(layer));
        }
    }
}

void PlacementMap::paintLegend(QPainter& painter) const {
    const int y = area_.bottom() + theme_.px(10);
    const int right = std::max(area_.right(), area_.left() + theme_.px(170));
    painter.setPen(theme_.color(Token::T3));
    if (by_ == ColourBy::Bytes) {
        const QString most = bytesText(grid_.most);
        const int text = painter.fontMetrics().horizontalAdvance(most);
        const int x = right - text - theme_.px(6 + kLegendWidth);
        painter.drawText(QRect(x - 20, y - 4, 14, 16), Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("0"));
        for (int i = 0; i < theme_.px(kLegendWidth); ++i)
            painter.fillRect(QRect(x + i, y, 1, theme_.px(8)),
                             theme_.sequential(0.72 * i / theme_.px(kLegendWidth)));
        painter.drawText(QRect(right - text, y - 4, text + 2, 16), Qt::AlignVCenter, most);
        painter.drawText(QRect(area_.left(), y - 4, x - 24 - area_.left(), 16), Qt::AlignVCenter,
                         x - area_.left() > 130 ? tr("bytes a layer and rank") : QString());
        return;
    }
    double x = area_.left();
    for (std::size_t i = 0; i < grid_.categories.size() && i < 6; ++i) {
        painter.fillRect(QRectF(x, y, 9, 9), theme_.seriesArea(int(i) + 1));
        const int wide = painter.fontMetrics().horizontalAdvance(grid_.categories[i]);
        painter.drawText(QRectF(x + 14, y - 4, wide + 2, 16), Qt::AlignVCenter,
                         grid_.categories[i]);
        x += 14 + wide + 12;
    }
    if (grid_.categories.empty())
        painter.drawText(QRectF(x, y - 4, 260, 16), Qt::AlignVCenter,
                         tr("slices are being asked for"));
}

void PlacementMap::resizeEvent(QResizeEvent*) {
    layOut();
}

void PlacementMap::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ >= 0) {
        const int row =
            (event->pos().y() - area_.top() + cellHeight_ / 2) / std::max(1, cellHeight_);
        draggedLayer_ = std::clamp(grid_.layerOf(row), 1, grid_.layers - 1);
        update();
        return;
    }
    bool handle = false;
    for (const PlacementGrid::Boundary& boundary : grid_.boundaries)
        handle = handle ||
                 handleRect(boundary, boundary.layer).adjusted(-2, -3, 2, 3).contains(event->pos());
    setCursor(handle ? Qt::SizeVerCursor : Qt::ArrowCursor);
    const QPoint cell = handle ? QPoint(-1, -1) : cellAt(event->pos());
    if (cell == hovered_)
        return;
    hovered_ = cell;
    update();
    QRect box = cell.x() < 0 ? QRect() : cellRect(cell.x(), cell.y());
    box.moveTopLeft(mapToGlobal(box.topLeft()));
    emit cellHovered(cell.x(), cell.y(), box);
}

void PlacementMap::mousePressEvent(QMouseEvent* event) {
    for (std::size_t i = 0; i < grid_.boundaries.size(); ++i) {
        if (!handleRect(grid_.boundaries[i], grid_.boundaries[i].layer)
                 .adjusted(-2, -3, 2, 3)
                 .contains(event->pos()))
            continue;
        dragged_ = int(i);
        draggedLayer_ = grid_.boundaries[i].layer;
        return;
    }
    const QPoint cell = cellAt(event->pos());
    selected_ = cell;
    update();
    emit cellChosen(cell.x(), cell.y());
}

void PlacementMap::mouseReleaseEvent(QMouseEvent*) {
    if (dragged_ < 0)
        return;
    const PlacementGrid::Boundary boundary = grid_.boundaries[std::size_t(dragged_)];
    dragged_ = -1;
    update();
    if (draggedLayer_ != boundary.layer)
        emit boundaryMoved(boundary.stage, draggedLayer_);
}

void PlacementMap::keyPressEvent(QKeyEvent* event) {
    const QPoint steps[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const int keys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down};
    const auto* const key = std::find(std::begin(keys), std::end(keys), event->key());
    if (key == std::end(keys) || grid_.ranks.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const QPoint to = selected_.x() < 0 ? QPoint(0, 0) : selected_ + steps[key - std::begin(keys)];
    selected_ = {std::clamp(to.x(), 0, int(grid_.ranks.size()) - 1),
                 std::clamp(to.y(), 0, grid_.rows() - 1)};
    update();
    const bool present = grid_.at(selected_.x(), selected_.y()).present;
    emit cellChosen(present ? selected_.x() : -1, present ? selected_.y() : -1);
}

void PlacementMap::leaveEvent(QEvent*) {
    hovered_ = {-1, -1};
    update();
    emit cellHovered(-1, -1, {});
}

}  // namespace fl::panels
