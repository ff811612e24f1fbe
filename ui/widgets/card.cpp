// SPDX-License-Identifier: GPL-3.0-or-later
// Draws cards and hairlines.
#include "ui/widgets/card.h"

#include <QApplication>
#include <QPainter>

#include "ui/widgets/paint.h"

namespace fl::widgets {

Card::Card(const Theme& theme, QWidget* parent) : Card(theme, Kind::Plain, parent) {}

Card::Card(const Theme& theme, Kind kind, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      kind_(kind) {
    connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
    if (kind == Kind::Field) {
        connect(qApp, &QApplication::focusChanged, this, qOverload<>(&QWidget::update));
    }
}

void Card::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QWidget* focus = QApplication::focusWidget();
    const bool active = kind_ == Kind::Field && focus != nullptr && isAncestorOf(focus);
    const Token ground = kind_ == Kind::Quote ? Token::Bg1 : Token::Bg2;
    const Token border = active ? Token::Accent : kind_ == Kind::Plain ? Token::Line : Token::Line2;
    paintBox(painter, rect(), theme_.color(ground), theme_.color(border), theme_.px(6),
             active ? 2 : 1);
}

Hairline::Hairline(const Theme& theme, Qt::Orientation orientation, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    if (orientation == Qt::Horizontal) {
        setFixedHeight(1);
    } else {
        setFixedWidth(1);
    }
    connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Hairline::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme_.color(Token::Line));
}

}  // namespace fl::widgets
