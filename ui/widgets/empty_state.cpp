// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out the empty state.
#include "ui/widgets/empty_state.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/widgets/icons.h"
#include "ui/widgets/text_label.h"

namespace fl::widgets {

namespace {
constexpr int kWidestText = 400;
constexpr int kWidestButtons = 300;
}  // namespace

EmptyState::EmptyState(const Theme& theme, const QString& iconName, QWidget* parent)
    : QWidget(parent),
      theme_(theme) {
    title_ = new TextLabel(theme, TextRole::Verdict, Token::T1, this);
    body_ = new TextLabel(theme, TextRole::Base, Token::T2, this);
    for (TextLabel* label : {title_, body_}) {
        label->setWordWrap(true);
    }
    hints_ = new QVBoxLayout;
    hints_->setSpacing(theme.px(8));
    buttons_ = new QHBoxLayout;
    buttons_->setSpacing(theme.px(8));
    buttons_->setAlignment(Qt::AlignLeft);
    auto* block = new QWidget(this);
    block->setMaximumWidth(theme.px(kWidestText));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(32), theme.px(12), theme.px(24), theme.px(12));
    row->addWidget(block, 1);
    row->addStretch(0);
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addStretch(1);
    column->addWidget(new IconLabel(theme, iconName, 24, Token::T2, this), 0, Qt::AlignLeft);
    column->addSpacing(theme.px(14));
    column->addWidget(title_);
    column->addSpacing(theme.px(6));
    column->addWidget(body_);
    column->addSpacing(theme.px(10));
    column->addLayout(hints_);
    column->addSpacing(theme.px(8));
    column->addLayout(buttons_);
    column->addStretch(1);
}

void EmptyState::setTitle(const QString& title) {
    title_->setText(title);
    setAccessibleName(title);
}

void EmptyState::setBody(const QString& sentences) {
    body_->setText(sentences);
    setAccessibleDescription(sentences);
}

void EmptyState::addHint(const QString& iconName, const QString& text) {
    auto* row = new QHBoxLayout;
    row->setSpacing(theme_.px(8));
    auto* label = new TextLabel(theme_, TextRole::Small, Token::T2, this);
    label->setText(text);
    label->setWordWrap(true);
    row->addWidget(new IconLabel(theme_, iconName, 16, Token::T3, this), 0, Qt::AlignTop);
    row->addWidget(label, 1);
    hints_->addLayout(row);
}

Button* EmptyState::addButton(const QString& text, Button::Kind kind) {
    auto* button = new Button(theme_, text, kind, Button::Size::Regular, this);
    buttons_->addWidget(button, 0, Qt::AlignLeft);
    // Two long ones stand below each other, so that a narrow dock has room for them.
    if (buttons_->sizeHint().width() > theme_.px(kWidestButtons)) {
        buttons_->setDirection(QBoxLayout::TopToBottom);
    }
    return button;
}

IconLabel::IconLabel(
    const Theme& theme, const QString& name, int size, Token color, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      name_(name),
      size_(size),
      color_(color) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void IconLabel::setIconName(const QString& name) {
    name_ = name;
    update();
}

QSize IconLabel::sizeHint() const {
    return {theme_.px(size_), theme_.px(size_)};
}

void IconLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int side = theme_.px(size_);
    paintIcon(painter, QRectF(0, (height() - side) / 2, side, side), name_, theme_.color(color_));
}

}  // namespace fl::widgets
