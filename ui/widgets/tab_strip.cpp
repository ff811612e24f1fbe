// SPDX-License-Identifier: GPL-3.0-or-later
// Draws tabs and their badges.
#include "ui/widgets/tab_strip.h"

#include <QMouseEvent>
#include <QPainter>

#include "ui/widgets/badge.h"

namespace fl::widgets {

TabStrip::TabStrip(const Theme& theme, QWidget* parent) : QTabBar(parent), theme_(theme) {
    setDrawBase(false);
    setExpanding(false);
    setUsesScrollButtons(true);
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setProperty("ringInside", true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Panels"));
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void TabStrip::setBadge(int index, int count, State state) {
    const QString text = count > 0 ? QString::number(count) : QString();
    setTabData(index, QVariantList{text, int(state)});
    setAccessibleTabName(
        index, count > 0 ? tr("%1, %2 to look at").arg(tabText(index), text) : tabText(index));
    // Asks for the sizes anew.
    setTabText(index, tabText(index));
}

TabStrip::BadgeData TabStrip::badge(int index) const {
    const QVariantList parts = tabData(index).toList();
    if (parts.size() < 2) {
        return {};
    }
    return {parts[0].toString(), static_cast<State>(parts[1].toInt())};
}

QSize TabStrip::sizeHint() const {
    return {QTabBar::sizeHint().width(), theme_.px(34)};
}

QSize TabStrip::minimumSizeHint() const {
    return {theme_.px(80), theme_.px(34)};
}

QSize TabStrip::tabSizeHint(int index) const {
    // Every tab has room for the weight it gets when it is the open one.
    const QFontMetrics metrics(theme_.font(TextRole::Strong));
    int width = metrics.horizontalAdvance(tabText(index)) + theme_.px(24);
    const BadgeData mark = badge(index);
    if (!mark.text.isEmpty()) {
        width += theme_.px(8) + badgeSize(theme_, mark.text).width();
    }
    return {width, theme_.px(34)};
}

void TabStrip::paintTab(QPainter& painter, int index) const {
    const QRect box = tabRect(index);
    const bool open = index == currentIndex();
    if (open) {
        painter.fillRect(box, theme_.color(Token::Bg1));
        painter.fillRect(QRect(box.left(), box.bottom() - 1, box.width(), 2),
                         theme_.color(Token::Accent));
    } else if (index == hovered_) {
        painter.fillRect(box.adjusted(0, 0, 0, -1), theme_.color(Token::Bg3));
    }
    painter.setFont(theme_.font(open ? TextRole::Strong : TextRole::Base));
    painter.setPen(theme_.color(open ? Token::T1 : Token::T2));
    const QRect text = box.adjusted(theme_.px(12), 0, 0, 0);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tabText(index));
    const BadgeData mark = badge(index);
    if (!mark.text.isEmpty()) {
        const QSize size = badgeSize(theme_, mark.text);
        paintBadge(
            painter,
            QRectF(box.right() - theme_.px(12) - size.width() + 1,
                   box.top() + (box.height() - size.height()) / 2, size.width(), size.height()),
            mark.text, mark.state, theme_);
    }
}

void TabStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(Token::Bg2));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme_.color(Token::Line));
    for (int i = 0; i < count(); ++i) {
        paintTab(painter, i);
    }
}

void TabStrip::mouseMoveEvent(QMouseEvent* event) {
    QTabBar::mouseMoveEvent(event);
    const int index = tabAt(event->pos());
    if (index != hovered_) {
        hovered_ = index;
        update();
    }
}

void TabStrip::leaveEvent(QEvent* event) {
    QTabBar::leaveEvent(event);
    hovered_ = -1;
    update();
}

}  // namespace fl::widgets
