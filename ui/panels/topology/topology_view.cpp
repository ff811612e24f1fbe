// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/topology_view.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "ui/panels/topology/node_item.h"

namespace fl::panels {

using widgets::Token;

namespace {

constexpr int kZoomMilliseconds = 120;
constexpr double kLeast = 0.02;
constexpr double kLargest = 4;
constexpr double kMargin = 14;
constexpr int kDotDistance = 24;

}  // namespace

TopologyView::TopologyView(const widgets::Theme& theme, QGraphicsScene* scene, QWidget* parent)
    : QGraphicsView(scene, parent),
      theme_(theme) {
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setViewportUpdateMode(QGraphicsView::SmartViewportUpdate);
    setTransformationAnchor(QGraphicsView::NoAnchor);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);
    connect(&theme, &widgets::Theme::changed, this, [this] {
        viewport()->update();
        refit();
    });
}

double TopologyView::fitScale() const {
    const QRectF bounds = scene()->itemsBoundingRect();
    if (bounds.isEmpty())
        return 1;
    const double wide = (viewport()->width() - 2 * kMargin) / bounds.width();
    const double high = (viewport()->height() - 2 * kMargin) / bounds.height();
    const double scale = std::clamp(std::min(wide, high), kLeast, most_ * theme_.scale());
    // Nearly natural size is drawn at natural size: its lines and letters are crisp then. The
    // margin leaves room for the difference.
    const double natural = theme_.scale();
    return scale > 0.96 * natural && scale < 1.12 * natural ? natural : scale;
}

void TopologyView::apply(double scale, const QPointF& center) {
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(center);
}

void TopologyView::fit(bool animated) {
    fitted_ = true;
    const QRectF bounds = scene()->itemsBoundingRect();
    // Room around the scene, so that it can be dragged to any edge.
    scene()->setSceneRect(bounds.adjusted(-4000, -4000, 4000, 4000));
    const double to = fitScale();
    animation_.stop();
    if (!animated || QApplication::isEffectEnabled(Qt::UI_AnimateMenu) == false) {
        apply(to, bounds.center());
        return;
    }
    const double from = transform().m11();
    const QPointF start = mapToScene(viewport()->rect().center());
    animation_.disconnect(this);
    connect(&animation_, &QVariantAnimation::valueChanged, this, [=, this](const QVariant& value) {
        const double t = value.toDouble();
        apply(from + (to - from) * t, start + (bounds.center() - start) * t);
    });
    animation_.setStartValue(0.0);
    animation_.setEndValue(1.0);
    animation_.setDuration(kZoomMilliseconds);
    animation_.start();
}

void TopologyView::zoom(double factor) {
    fitted_ = false;
    const double to = std::clamp(transform().m11() * factor, kLeast, kLargest);
    apply(to, mapToScene(viewport()->rect().center()));
}

void TopologyView::drawBackground(QPainter* painter, const QRectF& rect) {
    painter->fillRect(rect, theme_.color(Token::Bg0));
    // Dots stand on the screen, not in the scene: they must not become a moiré when zoomed out.
    painter->save();
    painter->resetTransform();
    painter->setPen(Qt::NoPen);
    const QPoint origin = mapFromScene(QPointF(0, 0));
    const int step = theme_.px(kDotDistance);
    const auto first = [step](int place) { return ((place % step) + step) % step; };
    for (int y = first(origin.y()); y < viewport()->height(); y += step) {
        for (int x = first(origin.x()); x < viewport()->width(); x += step)
            painter->fillRect(QRect(x, y, 1, 1), theme_.color(Token::Line2));
    }
    painter->restore();
}

void TopologyView::wheelEvent(QWheelEvent* event) {
    const double factor = std::pow(1.0015, event->angleDelta().y());
    const double from = transform().m11();
    const double to = std::clamp(from * factor, kLeast, kLargest);
    const QPointF under = mapToScene(event->position().toPoint());
    const QPointF center = mapToScene(viewport()->rect().center());
    fitted_ = false;
    apply(to, under + (center - under) * (from / to));
    event->accept();
}

void TopologyView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    refit();
}

void TopologyView::refit() {
    if (fitted_)
        fit(false);
}

NodeItem* TopologyView::nodeAt(const QPoint& place, int* card) const {
    for (QGraphicsItem* item : items(place)) {
        auto* node = dynamic_cast<NodeItem*>(item);
        if (node == nullptr)
            continue;
        *card = node->cardAt(mapToScene(place));
        return node;
    }
    return nullptr;
}

void TopologyView::hover(const QPoint& place) {
    int card = -1;
    const NodeItem* node = nodeAt(place, &card);
    const int rank = node != nullptr && card >= 0 ? node->cards()[std::size_t(card)].rank : -1;
    if (rank == hovered_)
        return;
    hovered_ = rank;
    QRect box;
    if (rank >= 0) {
        box = mapFromScene(node->node().cards[std::size_t(card)]).boundingRect();
        box.moveTopLeft(viewport()->mapToGlobal(box.topLeft()));
    }
    emit rankHovered(rank, box);
}

void TopologyView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->pos();
    dragged_ = false;
    event->accept();
}

void TopologyView::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) {
        hover(event->pos());
        return;
    }
    const QPoint moved = event->pos() - pressed_;
    if (!dragged_ && moved.manhattanLength() < QApplication::startDragDistance())
        return;
    dragged_ = true;
    fitted_ = false;
    pressed_ = event->pos();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
}

void TopologyView::mouseReleaseEvent(QMouseEvent* event) {
    if (dragged_)
        return;
    int card = -1;
    const NodeItem* node = nodeAt(event->pos(), &card);
    emit rankClicked(node != nullptr && card >= 0 ? node->cards()[std::size_t(card)].rank : -1);
}

void TopologyView::mouseDoubleClickEvent(QMouseEvent* event) {
    int card = -1;
    if (nodeAt(event->pos(), &card) == nullptr)
        fit(true);
}

void TopologyView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            emit stepped(-1);
            break;
        case Qt::Key_Right:
        case Qt::Key_Down:
            emit stepped(1);
            break;
        case Qt::Key_Plus:
            zoom(1.2);
            break;
        case Qt::Key_Minus:
            zoom(1 / 1.2);
            break;
        case Qt::Key_0:
            fit(true);
            break;
        default:
            QGraphicsView::keyPressEvent(event);
    }
}

void TopologyView::leaveEvent(QEvent* event) {
    QGraphicsView::leaveEvent(event);
    hovered_ = -1;
    emit rankHovered(-1, {});
}

}  // namespace fl::panels
