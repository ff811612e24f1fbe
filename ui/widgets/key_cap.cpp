// SPDX-License-Identifier: GPL-3.0-or-later
// Draws key caps.
#include "ui/widgets/key_cap.h"

#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

KeyCap::KeyCap(const Theme& theme, const QString& text, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      text_(text) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize KeyCap::sizeHint() const {
    return keyCapSize(theme_, text_);
}

void KeyCap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintKeyCap(painter, rect(), text_, theme_);
}

QSize keyCapSize(const Theme& theme, const QString& text) {
    const QFontMetrics metrics(theme.font(TextRole::Axis));
    return {metrics.horizontalAdvance(text) + theme.px(10) + 1, theme.px(18)};
}

void paintKeyCap(QPainter& painter, const QRectF& box, const QString& text, const Theme& theme) {
    paintBox(painter, box, QColor(), theme.color(Token::Line2), theme.px(3));
    painter.setFont(theme.font(TextRole::Axis));
    painter.setPen(theme.color(Token::T3));
    painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace fl::widgets
