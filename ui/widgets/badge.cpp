// SPDX-License-Identifier: GPL-3.0-or-later
// Draws badges.
#include "ui/widgets/badge.h"

#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

Badge::Badge(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setVisible(false);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void Badge::setBadge(const QString& text, State state) {
    text_ = text;
    state_ = state;
    setAccessibleName(state == State::Idle ? text : text + QLatin1Char(' ') + stateWord(state));
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

QSize Badge::sizeHint() const {
    return badgeSize(theme_, text_);
}

void Badge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBadge(painter, rect(), text_, state_, theme_);
}

QSize badgeSize(const Theme& theme, const QString& text) {
    const int height = theme.px(16);
    const QFontMetrics metrics(theme.font(TextRole::AxisStrong));
    return {std::max(height, metrics.horizontalAdvance(text) + theme.px(10)), height};
}

void paintBadge(
    QPainter& painter, const QRectF& box, const QString& text, State state, const Theme& theme) {
    const bool neutral = state == State::Idle;
    paintBox(painter, box, theme.color(stateTint(state)), QColor(), box.height() / 2);
    painter.setFont(theme.font(TextRole::AxisStrong));
    painter.setPen(theme.color(neutral ? Token::T1 : stateColor(state)));
    painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace fl::widgets
