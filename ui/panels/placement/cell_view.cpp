// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/cell_view.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "ui/models/text.h"
#include "ui/panels/placement/map_image.h"
#include "ui/widgets/paint.h"

namespace fl::panels {

using models::bytesText;
using models::countText;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kMargin = 12;
constexpr int kHead = 44;   // title and subtitle
constexpr int kWords = 20;  // a line above the experts
constexpr int kRow = 20;
constexpr int kMostOthers = 8;  // rows that are kept free for them
constexpr int kLeastExpert = 5;
constexpr int kMostExpert = 22;
constexpr int kBytes = 66;

}  // namespace

CellView::CellView(const widgets::Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setProperty("ringInside", true);
    setAccessibleName(tr("Parts of the chosen cell"));
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

void CellView::setCell(const QString& title, const QString& subtitle, CellParts parts) {
    title_ = title;
    subtitle_ = subtitle;
    parts_ = std::move(parts);
    hovered_ = selected_ = {};
    setAccessibleDescription(tr("%1: %2 experts, %3 other tensors")
                                 .arg(title)
                                 .arg(parts_.experts.size())
                                 .arg(parts_.others.size()));
    update();
}

void CellView::selectExpert(int expert) {
    selected_ = {};
    for (std::size_t i = 0; i < parts_.experts.size(); ++i) {
        if (parts_.experts[i].expert == expert)
            selected_.expert = int(i);
    }
    update();
}

QSize CellView::sizeHint() const {
    return {theme_.px(250), theme_.px(300)};
}

QSize CellView::minimumSizeHint() const {
    return {theme_.px(180), theme_.px(140)};
}

// The largest squares with which all experts have room beside the other tensors.
int CellView::expertSize() const {
    const int count = std::max(1, int(parts_.experts.size()));
    const int wide = width() - 2 * theme_.px(kMargin);
    const int rows = std::min(int(parts_.others.size()), kMostOthers);
    const int high = height() - theme_.px(kHead + kWords + kMargin) - rows * theme_.px(kRow);
    int size = theme_.px(kMostExpert);
    while (size > theme_.px(kLeastExpert)) {
        const int across = std::max(1, wide / size);
        if ((count + across - 1) / across * size <= high)
            break;
        --size;
    }
    return size;
}

int CellView::columns() const {
    return std::max(1, (width() - 2 * theme_.px(kMargin)) / expertSize());
}

QRect CellView::expertRect(std::size_t index) const {
    const int size = expertSize();
    const int across = columns();
    return {theme_.px(kMargin) + int(index) % across * size,
            theme_.px(kHead + kWords) + int(index) / across * size, size, size};
}

int CellView::expertsBottom() const {
    return parts_.experts.empty() ? theme_.px(kHead)
                                  : expertRect(parts_.experts.size() - 1).bottom() + theme_.px(10);
}

QRect CellView::otherRect(std::size_t index) const {
    return {theme_.px(kMargin), expertsBottom() + int(index) * theme_.px(kRow),
            width() - 2 * theme_.px(kMargin), theme_.px(kRow)};
}

CellPlace CellView::placeAt(const QPoint& point) const {
    for (std::size_t i = 0; i < parts_.experts.size(); ++i) {
        if (expertRect(i).contains(point))
            return {int(i), -1};
    }
    for (std::size_t i = 0; i < parts_.others.size(); ++i) {
        if (otherRect(i).contains(point))
            return {-1, int(i)};
    }
    return {};
}

QRect CellView::boxOf(const CellPlace& place) const {
    if (place.expert >= 0)
        return expertRect(std::size_t(place.expert));
    return place.other >= 0 ? otherRect(std::size_t(place.other)) : QRect();
}

void CellView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg1));
    if (x() > 0)  // beside the map
        painter.fillRect(QRect(0, 0, 1, height()), theme_.color(Token::Line));
    const QRect head(theme_.px(kMargin), theme_.px(6), width() - 2 * theme_.px(kMargin),
                     theme_.px(18));
    painter.setFont(theme_.font(TextRole::Strong));
    painter.setPen(theme_.color(Token::T1));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(title_, Qt::ElideRight, head.width()));
    painter.setFont(theme_.font(TextRole::Small));
    painter.setPen(theme_.color(Token::T3));
    painter.drawText(head.translated(0, theme_.px(18)), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(subtitle_, Qt::ElideRight, head.width()));
    if (!parts_.experts.empty())
        paintExperts(painter);
    paintOthers(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const CellPlace& place : {hovered_, selected_}) {
        const QRect box = boxOf(place);
        if (!box.isNull())
            widgets::paintBox(painter, QRectF(box).adjusted(-1, -1, 0, 0), QColor(),
                              theme_.color(Token::T1), 0, 1.5);
    }
}

void CellView::paintExperts(QPainter& painter) const {
    const int first = parts_.experts.front().expert;
    const int last = parts_.experts.back().expert;
    std::int64_t most = 0;
    std::int64_t sum = 0;
    for (const CellExpert& expert : parts_.experts) {
        most = std::max(most, expert.bytes);
        sum += expert.bytes;
    }
    const QRect words(theme_.px(kMargin), theme_.px(kHead), width() - 2 * theme_.px(kMargin),
                      theme_.px(kWords - 4));
    painter.setFont(theme_.font(TextRole::Axis));
    painter.setPen(theme_.color(Token::T2));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                     tr("experts %1–%2").arg(countText(first), countText(last)));
    painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, bytesText(sum));
    const int gap = expertSize() >= 4 ? 1 : 0;
    for (std::size_t i = 0; i < parts_.experts.size(); ++i)
        painter.fillRect(
            expertRect(i).adjusted(0, 0, -gap, -gap),
            theme_.sequential(
                most > 0 ? kMostColour * double(parts_.experts[i].bytes) / double(most) : 0));
}

void CellView::paintOthers(QPainter& painter) const {
    std::int64_t most = 0;
    for (const std::size_t slice : parts_.others)
        most = std::max(most, parts_.slices[slice].bytes);
    for (std::size_t i = 0; i < parts_.others.size(); ++i) {
        const protocol::SliceInfo& slice = parts_.slices[parts_.others[i]];
        const QRect box = otherRect(i);
        if (box.bottom() > height())
            return;
        const int right = box.right() - theme_.px(kBytes);
        const double share = most > 0 ? double(slice.bytes) / double(most) : 0;
        painter.fillRect(QRectF(box.left(), box.bottom() - 2, (right - box.left()) * share, 2),
                         theme_.seriesArea(1));
        painter.setFont(theme_.font(TextRole::Mono));
        painter.setPen(theme_.color(Token::T1));
        const QString name = shortTensorName(slice, -1);
        painter.drawText(QRect(box.left(), box.top(), right - box.left(), box.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle,
                                                          right - box.left() - theme_.px(4)));
        painter.setFont(theme_.font(TextRole::Axis));
        painter.setPen(theme_.color(Token::T2));
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, bytesText(slice.bytes));
    }
}

void CellView::mouseMoveEvent(QMouseEvent* event) {
    const CellPlace place = placeAt(event->pos());
    if (place == hovered_)
        return;
    hovered_ = place;
    update();
    QRect box = boxOf(place);
    box.moveTopLeft(mapToGlobal(box.topLeft()));
    emit partHovered(place.expert, place.other, box);
}

void CellView::choose(const CellPlace& place) {
    selected_ = place;
    update();
    if (place.expert >= 0 || place.other >= 0)
        emit partChosen(place.expert, place.other);
}

void CellView::mousePressEvent(QMouseEvent* event) {
    choose(placeAt(event->pos()));
}

void CellView::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Right  ? 1
                   : event->key() == Qt::Key_Left ? -1
                   : event->key() == Qt::Key_Down ? columns()
                   : event->key() == Qt::Key_Up   ? -columns()
                                                  : 0;
    if (by == 0 || parts_.experts.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    choose({std::clamp(selected_.expert + by, 0, int(parts_.experts.size()) - 1), -1});
}

void CellView::leaveEvent(QEvent*) {
    hovered_ = {};
    update();
    emit partHovered(-1, -1, {});
}

}  // namespace fl::panels
