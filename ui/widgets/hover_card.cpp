// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out and places the card.
#include "ui/widgets/hover_card.h"

#include <algorithm>

#include <QGuiApplication>
#include <QPainter>
#include <QScreen>
#include <QVBoxLayout>

#include "ui/widgets/paint.h"
#include "ui/widgets/text_label.h"

namespace fl::widgets {

HoverCard::HoverCard(const Theme& theme, QWidget* parent)
    : QWidget(parent, Qt::ToolTip | Qt::FramelessWindowHint),
      theme_(theme) {
    setAttribute(Qt::WA_TranslucentBackground);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    title_ = new TextLabel(theme, TextRole::Mono, Token::T1, this);
    subtitle_ = new TextLabel(theme, TextRole::Small, Token::T3, this);
    rows_ = new KeyValueList(theme, this);
    title_->setElide(Qt::ElideMiddle);
    subtitle_->setElide(Qt::ElideRight);
    auto* column = new QVBoxLayout(this);
    const int padding = theme.px(12);
    column->setContentsMargins(padding, theme.px(10), padding, theme.px(10));
    column->setSpacing(0);
    column->addWidget(title_);
    column->addWidget(subtitle_);
    column->addSpacing(theme.px(6));
    column->addWidget(rows_);
    subtitle_->hide();
    setFixedWidth(theme.px(252));
}

void HoverCard::setTitle(const QString& title, TextRole role) {
    title_->setRole(role);
    title_->setText(title);
}

void HoverCard::setSubtitle(const QString& text) {
    subtitle_->setText(text);
    subtitle_->setVisible(!text.isEmpty());
}

void HoverCard::setRows(std::vector<KeyValue> rows) {
    rows_->setVisible(!rows.empty());
    rows_->setRows(std::move(rows));
}

void HoverCard::setBody(QWidget* body) {
    delete body_;  // owned through its parent, replaced by the new one
    body_ = body;
    if (body) {
        static_cast<QVBoxLayout*>(layout())->insertWidget(3, body);
    }
}

void HoverCard::showBeside(const QRect& target) {
    adjustSize();
    const QScreen* screen = QGuiApplication::screenAt(target.center());
    const QRect area = (screen ? screen : QGuiApplication::primaryScreen())->availableGeometry();
    const int gap = theme_.px(8);
    int x = target.right() + gap;
    if (x + width() > area.right()) {
        x = target.left() - gap - width();
    }
    int y = target.top();
    if (x < area.left()) {
        // Neither side has room: below, or above.
        x = std::clamp(target.left(), area.left(), std::max(area.left(), area.right() - width()));
        y = target.bottom() + gap;
        if (y + height() > area.bottom()) {
            y = target.top() - gap - height();
        }
    }
    move(x, std::clamp(y, area.top(), std::max(area.top(), area.bottom() - height())));
    show();
}

void HoverCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBox(painter, rect(), theme_.color(Token::Bg2), theme_.color(Token::Line2), theme_.px(6));
}

}  // namespace fl::widgets
