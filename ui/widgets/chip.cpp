// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the chip; checkable chips toggle, others are pressed.
#include "ui/widgets/chip.h"

#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

Chip::Chip(const Theme& theme, const QString& text, QWidget* parent)
    : QAbstractButton(parent),
      theme_(theme) {
    setText(text);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setProperty("ringRadius", 11);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(theme_.font(TextRole::Small));
    const int height = theme_.px(22);
    return {std::max(metrics.horizontalAdvance(text()) + theme_.px(18) + 1, height), height};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    Token ground = Token::Bg1;
    Token border = Token::Line2;
    if (!isEnabled()) {
        ground = Token::Bg2;
        border = Token::Line;
    } else if (isDown() || isChecked()) {
        ground = Token::AccentBg;
        border = Token::Accent;
    } else if (underMouse()) {
        ground = Token::Bg2;
    }
    paintBox(painter, rect(), theme_.color(ground), theme_.color(border), height() / 2.0);
    painter.setFont(theme_.font(TextRole::Small));
    painter.setPen(theme_.color(isEnabled() ? Token::T1 : Token::T3));
    painter.drawText(rect(), Qt::AlignCenter, text());
}

}  // namespace fl::widgets
