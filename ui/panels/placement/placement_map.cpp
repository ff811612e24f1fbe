// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include "ui/models/text.h"
#include "ui/panels/placement/map_image.h"
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
constexpr QSize kMostFitted(64, 22);
constexpr QSize kMostZoomed(160, 64);
constexpr QSize kNumbersFrom(60, 18);  // cells that have room for what they hold
constexpr int kHandleWidth = 26;
constexpr int kHandleHeight = 8;
constexpr int kLegendWidth = 96;
constexpr double kStep = 1.25;         // of one notch of the wheel
constexpr double kLightGround = 0.55;  // lighter cells carry dark numbers

double lightness(const QColor& color) {
    return 0.299 * color.redF() + 0.587 * color.greenF() + 0.114 * color.blueF();
}

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
    setAccessibleDescription(
        tr("%1 layers, %2 ranks. Arrow keys choose a cell, plus and minus zoom, 0 shows all.")
            .arg(grid_.layers)
            .arg(grid_.ranks.size()));
    layOut();
}

void PlacementMap::select(int column, int row) {
    selected_ = {column, row};
    update();
}

void PlacementMap::setJoined(bool joined) {
    joined_ = joined;
    update();
}

void PlacementMap::layOut() {
    const auto px = [this](QSize size) {
        return QSize(theme_.px(size.width()), theme_.px(size.height()));
    };
    view_.setLimits(px(kMostFitted), px(kMostZoomed));
    view_.setShape(
        {int(grid_.ranks.size()), grid_.rows(), grid_.hasEmbed, grid_.hasHead},
        rect().adjusted(theme_.px(kLeft), theme_.px(kTop), -theme_.px(kRight), -theme_.px(kBottom)),
        theme_.px(kEdgeGap));
    viewChanged();
}

void PlacementMap::viewChanged() {
    image_ = {};
    update();
}

void PlacementMap::fit() {
    view_.fit();
    viewChanged();
}

void PlacementMap::zoom(double factor, const QPoint& about) {
    if (grid_.ranks.empty())
        return;
    view_.zoom(factor, about);
    viewChanged();
}

void PlacementMap::zoomIn() {
    zoom(kStep,
         selected_.x() < 0 ? rect().center() : view_.cell(selected_.x(), selected_.y()).center());
}

void PlacementMap::zoomOut() {
    zoom(1 / kStep,
         selected_.x() < 0 ? rect().center() : view_.cell(selected_.x(), selected_.y()).center());
}

QRectF PlacementMap::handleRect(const PlacementGrid::Boundary& boundary, int layer) const {
    const double y = view_.top(grid_.rowOfLayer(layer)) - 0.5;
    const double x = view_.left(boundary.column);
    return {x - theme_.px(kHandleWidth) / 2.0, y - theme_.px(kHandleHeight) / 2.0,
            double(theme_.px(kHandleWidth)), double(theme_.px(kHandleHeight))};
}

int PlacementMap::handleAt(const QPoint& place) const {
    for (std::size_t i = 0; i < grid_.boundaries.size(); ++i) {
        const QRectF handle = handleRect(grid_.boundaries[i], grid_.boundaries[i].layer);
        if (view_.viewport().contains(handle.center().toPoint()) &&
            handle.adjusted(-2, -3, 2, 3).contains(place))
            return int(i);
    }
    return -1;
}

void PlacementMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    if (grid_.ranks.empty())
        return;
    if (image_.isNull())
        image_ = mapImage(grid_, by_, view_, theme_, devicePixelRatioF());
    const QRect seen = view_.content();
    painter.setClipRect(seen);
    painter.drawImage(view_.viewport().topLeft(), image_);
    painter.setFont(theme_.font(TextRole::Axis));
    paintNumbers(painter);
    painter.setClipping(false);
    paintAxis(painter);
    paintNodes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintEdges(painter);
    paintOutlines(painter);
    paintLegend(painter);
}

// What each cell holds, once there is room to write it.
void PlacementMap::paintNumbers(QPainter& painter) const {
    if (view_.cellWidth() < theme_.px(kNumbersFrom.width()) ||
        view_.cellHeight() < theme_.px(kNumbersFrom.height()))
        return;
    const QRect seen = view_.content();
    const QColor dark = theme_.color(theme_.isDark() ? Token::Bg0 : Token::T1);
    const QColor light = theme_.color(theme_.isDark() ? Token::T1 : Token::Bg1);
    for (int row = view_.rowAt(seen.top()); row <= view_.rowAt(seen.bottom()); ++row) {
        for (int column = view_.columnAt(seen.left()); column <= view_.columnAt(seen.right());
             ++column) {
            const GridCell& cell = grid_.at(column, row);
            if (!cell.present)
                continue;
            const bool isLight = lightness(cellColor(cell, grid_, by_, theme_)) > kLightGround;
            painter.setPen(isLight ? dark : light);
            painter.drawText(view_.cell(column, row), Qt::AlignCenter, bytesText(cell.bytes));
        }
    }
}

void PlacementMap::paintAxis(QPainter& painter) const {
    painter.setPen(theme_.color(Token::T3));
    const QRect seen = view_.content();
    const int right = view_.viewport().left() - theme_.px(6);
    const int high = theme_.px(16);
    int lowest = seen.top() - high;  // where the last label ended
    const auto label = [&](int row, const QString& text) {
        const QRect box = view_.cell(0, row);
        const int y = box.top() + box.height() / 2;
        if (y < seen.top() || y > seen.bottom() || y - high / 2 < lowest)
            return;
        painter.drawText(QRect(0, y - high / 2, right, high), Qt::AlignRight | Qt::AlignVCenter,
                         text);
        lowest = y + high / 2;
    };
    if (grid_.hasEmbed)
        label(0, tr("embed"));
    int step = 1;
    while (step * view_.cellHeight() < theme_.px(22))
        step *= step == 1 || step == 10 ? 5 : 2;
    // The edge rows have names; numbers keep away from them.
    const int headTop = grid_.hasHead ? view_.top(grid_.rows() - 1) : seen.bottom() + high;
    for (int layer = 0; layer < grid_.layers; layer += step) {
        const QRect box = view_.cell(0, grid_.rowOfLayer(layer));
        if (box.center().y() + high <= headTop + int(view_.cellHeight() / 2))
            label(grid_.rowOfLayer(layer), QString::number(layer));
    }
    if (grid_.hasHead)
        label(grid_.rows() - 1, tr("head"));
}

// Names of nodes above their ranks, ranks alone where a name has no room, nothing where neither
// has.
void PlacementMap::paintNodes(QPainter& painter) const {
    const QRect seen = view_.content();
    painter.setPen(theme_.color(Token::T2));
    int free = seen.left();
    for (const PlacementGrid::Span& node : grid_.nodes) {
        const int first = grid_.ranks[std::size_t(node.first)];
        const int last = grid_.ranks[std::size_t(node.first + node.count - 1)];
        const int left = std::max(seen.left(), view_.left(node.first));
        const int end = std::min(seen.right() + 1, view_.left(node.first + node.count));
        const QRect box(left, 0, end - left, view_.viewport().top() - 2);
        const QString ranks =
            first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last);
        for (const QString& text : {node.name + QStringLiteral(" · ") + ranks, ranks}) {
            const int wide = painter.fontMetrics().horizontalAdvance(text) + theme_.px(6);
            if (wide > box.width() || box.left() < free)
                continue;
            painter.drawText(box, Qt::AlignCenter, text);
            free = box.right() - (box.width() - wide) / 2;
            break;
        }
    }
}

void PlacementMap::paintEdges(QPainter& painter) const {
    const QRect seen = view_.content();
    painter.setPen(QPen(theme_.color(Token::Line2), 1));
    for (const PlacementGrid::Span& node : grid_.nodes) {
        const double x = view_.left(node.first) - 0.5;
        if (node.first > 0 && x > seen.left() && x < seen.right())
            painter.drawLine(QPointF(x, seen.top() - 4), QPointF(x, seen.bottom()));
    }
    for (std::size_t i = 0; i < grid_.boundaries.size(); ++i) {
        const PlacementGrid::Boundary& boundary = grid_.boundaries[i];
        const int layer = int(i) == dragged_ ? draggedLayer_ : boundary.layer;
        const QRectF handle = handleRect(boundary, layer);
        if (!view_.viewport().contains(handle.center().toPoint()))
            continue;
        const double y = handle.center().y();
        const double reach = std::max(3.0 * view_.cellWidth(), double(theme_.px(kHandleWidth)));
        painter.setPen(QPen(theme_.color(Token::Accent), 1));
        painter.drawLine(QPointF(std::max<double>(seen.left(), handle.center().x() - reach), y),
                         QPointF(std::min<double>(seen.right(), handle.center().x() + reach), y));
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

void PlacementMap::paintOutlines(QPainter& painter) const {
    painter.save();
    if (joined_ && selected_.x() >= 0) {
        const QRect cell = view_.cell(selected_.x(), selected_.y());
        painter.setPen(QPen(theme_.color(Token::Line2), 1));
        if (view_.content().intersects(cell)) {
            painter.drawLine(QPointF(cell.right() + 0.5, cell.top()), QPointF(width(), 0.5));
            painter.drawLine(QPointF(cell.right() + 0.5, cell.bottom()),
                             QPointF(width(), height() - 0.5));
        }
    }
    painter.setClipRect(view_.content().adjusted(-2, -2, 2, 2));
    for (const QPoint& cell : {hovered_, selected_}) {
        if (cell.x() >= 0)
            widgets::paintBox(painter,
                              QRectF(view_.cell(cell.x(), cell.y())).adjusted(-1, -1, 0, 0),
                              QColor(), theme_.color(Token::T1), 0, 1.5);
    }
    painter.restore();
}

void PlacementMap::paintLegend(QPainter& painter) const {
    const int y = view_.content().bottom() + theme_.px(10);
    if (by_ == ColourBy::Bytes) {
        paintBytesLegend(painter, y);
        return;
    }
    painter.setPen(theme_.color(Token::T3));
    double x = view_.viewport().left();
    for (std::size_t i = 0; i < grid_.categories.size(); ++i) {
        const int wide = painter.fontMetrics().horizontalAdvance(grid_.categories[i]);
        if (x + 14 + wide > width())
            break;
        painter.fillRect(QRectF(x, y, 9, 9), theme_.seriesArea(int(i) + 1));
        painter.drawText(QRectF(x + 14, y - 4, wide + 2, 16), Qt::AlignVCenter,
                         grid_.categories[i]);
        x += 14 + wide + 12;
    }
    if (grid_.categories.empty())
        painter.drawText(QRectF(x, y - 4, 260, 16), Qt::AlignVCenter,
                         tr("what the cells hold is being asked for"));
}

void PlacementMap::paintBytesLegend(QPainter& painter, int y) const {
    const QRect seen = view_.content();
    const int right =
        std::min(std::max(seen.right(), seen.left() + theme_.px(170)), width() - theme_.px(kRight));
    painter.setPen(theme_.color(Token::T3));
    const QString most = bytesText(grid_.most);
    const int text = painter.fontMetrics().horizontalAdvance(most);
    const int x = right - text - theme_.px(6 + kLegendWidth);
    painter.drawText(QRect(x - 20, y - 4, 14, 16), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("0"));
    for (int i = 0; i < theme_.px(kLegendWidth); ++i)
        painter.fillRect(QRect(x + i, y, 1, theme_.px(8)),
                         theme_.sequential(kMostColour * i / theme_.px(kLegendWidth)));
    painter.drawText(QRect(right - text, y - 4, text + 2, 16), Qt::AlignVCenter, most);
    painter.drawText(QRect(seen.left(), y - 4, x - 24 - seen.left(), 16), Qt::AlignVCenter,
                     x - seen.left() > 130 ? tr("bytes a layer and rank") : QString());
}

void PlacementMap::resizeEvent(QResizeEvent*) {
    layOut();
}

void PlacementMap::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0)
        zoom(std::pow(kStep, notches), event->position().toPoint());
    event->accept();
}

void PlacementMap::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ >= 0) {
        const int row = view_.rowAt(event->pos().y() + int(view_.cellHeight() / 2));
        draggedLayer_ = std::clamp(grid_.layerOf(row), 1, grid_.layers - 1);
        update();
        return;
    }
    const bool held = (event->buttons() & Qt::LeftButton) != 0 && !view_.isFitted();
    if (held && (panning_ || (event->pos() - pressed_).manhattanLength() >=
                                 QApplication::startDragDistance())) {
        panning_ = true;
        setCursor(Qt::ClosedHandCursor);
        view_.pan(event->pos() - last_);
        last_ = event->pos();
        viewChanged();
        return;
    }
    const bool handle = handleAt(event->pos()) >= 0;
    setCursor(handle ? Qt::SizeVerCursor : Qt::ArrowCursor);
    QPoint cell = handle ? QPoint(-1, -1) : view_.cellAt(event->pos());
    if (cell.x() >= 0 && !grid_.at(cell.x(), cell.y()).present)
        cell = {-1, -1};
    if (cell == hovered_)
        return;
    hovered_ = cell;
    update();
    QRect box = cell.x() < 0 ? QRect() : view_.cell(cell.x(), cell.y());
    box.moveTopLeft(mapToGlobal(box.topLeft()));
    emit cellHovered(cell.x(), cell.y(), box);
}

void PlacementMap::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->pos();
    panning_ = false;
    dragged_ = handleAt(event->pos());
    if (dragged_ >= 0)
        draggedLayer_ = grid_.boundaries[std::size_t(dragged_)].layer;
}

void PlacementMap::mouseReleaseEvent(QMouseEvent* event) {
    if (dragged_ >= 0) {
        const PlacementGrid::Boundary boundary = grid_.boundaries[std::size_t(dragged_)];
        dragged_ = -1;
        update();
        if (draggedLayer_ != boundary.layer)
            emit boundaryMoved(boundary.stage, draggedLayer_);
        return;
    }
    setCursor(Qt::ArrowCursor);
    if (std::exchange(panning_, false))
        return;
    QPoint cell = view_.cellAt(event->pos());
    if (cell.x() >= 0 && !grid_.at(cell.x(), cell.y()).present)
        cell = {-1, -1};
    selected_ = cell;
    update();
    emit cellChosen(cell.x(), cell.y());
}

void PlacementMap::mouseDoubleClickEvent(QMouseEvent*) {
    fit();
}

void PlacementMap::moveSelection(const QPoint& by) {
    const QPoint to = selected_.x() < 0 ? QPoint(0, 0) : selected_ + by;
    selected_ = {std::clamp(to.x(), 0, int(grid_.ranks.size()) - 1),
                 std::clamp(to.y(), 0, grid_.rows() - 1)};
    view_.reveal(selected_.x(), selected_.y());
    viewChanged();
    const bool present = grid_.at(selected_.x(), selected_.y()).present;
    emit cellChosen(present ? selected_.x() : -1, present ? selected_.y() : -1);
}

void PlacementMap::keyPressEvent(QKeyEvent* event) {
    if (grid_.ranks.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Left:
            return moveSelection({-1, 0});
        case Qt::Key_Right:
            return moveSelection({1, 0});
        case Qt::Key_Up:
            return moveSelection({0, -1});
        case Qt::Key_Down:
            return moveSelection({0, 1});
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomIn();
        case Qt::Key_Minus:
            return zoomOut();
        case Qt::Key_0:
            return fit();
        default:
            QWidget::keyPressEvent(event);
    }
}

void PlacementMap::leaveEvent(QEvent*) {
    hovered_ = {-1, -1};
    update();
    emit cellHovered(-1, -1, {});
}

}  // namespace fl::panels
