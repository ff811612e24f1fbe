// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out and tints the strip.
#include "ui/widgets/message_strip.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/widgets/card.h"
#include "ui/widgets/state_icon.h"
#include "ui/widgets/text_label.h"

namespace fl::widgets {

namespace {
int severity(State state) {
    switch (state) {
        case State::Failed:
            return 4;
        case State::Warning:
            return 3;
        case State::Stale:
            return 2;
        case State::Running:
            return 1;
        default:
            return 0;
    }
}
}  // namespace

MessageStrip::MessageStrip(const Theme& theme, Shape shape, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      shape_(shape) {
    const bool large = shape == Shape::Large;
    icon_ = new StateIcon(theme, large ? 20 : 16, this);
    sentence_ = new TextLabel(theme, large ? TextRole::Verdict : TextRole::Strong, Token::T1, this);
    detail_ = new TextLabel(theme, large ? TextRole::Base : TextRole::Small, Token::T2, this);
    more_ = new TextLabel(theme, TextRole::Small, Token::T2, this);
    quote_ = new Card(theme, Card::Kind::Quote, this);
    quoteName_ = new TextLabel(theme, TextRole::Mono, Token::T3, quote_);
    quoteText_ = new TextLabel(theme, TextRole::Mono, Token::T1, quote_);
    sentence_->setWordWrap(true);
    detail_->setWordWrap(true);
    quoteText_->setElide(Qt::ElideMiddle);
    quoteText_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    build();
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    setMinimumHeight(theme.px(36));
    setVisible(false);
    connect(&theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MessageStrip::build() {
    const bool large = shape_ == Shape::Large;
    auto* quote = new QHBoxLayout(quote_);
    quote->setContentsMargins(theme_.px(10), theme_.px(6), theme_.px(10), theme_.px(6));
    quote->setSpacing(theme_.px(12));
    quote->addWidget(quoteName_);
    quote->addWidget(quoteText_, 1);
    auto* first = new QHBoxLayout;
    first->setSpacing(theme_.px(8));
    first->addWidget(sentence_, 1);
    first->addWidget(more_, 0, Qt::AlignTop);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(large ? theme_.px(4) : 0);
    texts->addLayout(first);
    texts->addWidget(detail_);
    buttons_ = new QHBoxLayout;
    buttons_->setSpacing(theme_.px(8));
    auto* row = new QHBoxLayout(this);
    const int vertical = theme_.px(large ? 14 : 5);
    row->setContentsMargins(theme_.px(large ? 19 : 13), vertical, theme_.px(12), vertical);
    row->setSpacing(theme_.px(large ? 14 : 10));
    auto* icon = new QVBoxLayout;
    icon->setContentsMargins(0, theme_.px(large ? 1 : 5), 0, 0);
    icon->addWidget(icon_);
    icon->addStretch(1);
    texts->setContentsMargins(0, theme_.px(large ? 0 : 4), 0, theme_.px(large ? 0 : 4));
    row->addLayout(icon);
    row->addLayout(texts, 1);
    if (large) {
        texts->addSpacing(theme_.px(4));
        texts->addWidget(quote_);
        texts->addSpacing(theme_.px(4));
        texts->addLayout(buttons_);
    } else {
        texts->addStretch(1);
        row->addLayout(buttons_);
        quote_->hide();
    }
}

void MessageStrip::show(const StripMessage& message) {
    fill(message, 0);
}

void MessageStrip::show(const std::vector<StripMessage>& messages) {
    if (messages.empty()) {
        clear();
        return;
    }
    const auto worst = std::max_element(messages.begin(), messages.end(),
                                        [](const StripMessage& a, const StripMessage& b) {
                                            return severity(a.state) < severity(b.state);
                                        });
    fill(*worst, int(messages.size()) - 1);
}

void MessageStrip::clear() {
    for (Button* button : added_) {
        button->hide();
        button->deleteLater();
    }
    added_.clear();
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        delete item;  // a layout does not own the widgets, only its items
    }
    setVisible(false);
}

void MessageStrip::fill(const StripMessage& message, int more) {
    clear();
    state_ = message.state;
    icon_->setState(message.state);
    sentence_->setText(message.sentence);
    detail_->setText(message.detail);
    detail_->setVisible(!message.detail.isEmpty());
    more_->setText(more > 0 ? tr("%1 more").arg(more) : QString());
    more_->setVisible(more > 0);
    quoteName_->setText(message.quoteName);
    quoteText_->setText(message.quote);
    quote_->setVisible(shape_ == Shape::Large && !message.quote.isEmpty());
    setAccessibleName(stateWord(message.state) + QStringLiteral(": ") + message.sentence);
    setAccessibleDescription(message.detail);
    setVisible(true);
    update();
}

Button* MessageStrip::addButton(const QString& text, Button::Kind kind, const QString& iconName) {
    const bool large = shape_ == Shape::Large;
    auto* button =
        new Button(theme_, text, kind, large ? Button::Size::Regular : Button::Size::Compact, this);
    button->setIconName(iconName);
    if (large && kind == Button::Kind::Quiet &&
        (added_.empty() || added_.back()->kind() != Button::Kind::Quiet)) {
        buttons_->addStretch(1);
    }
    buttons_->addWidget(button, 0, Qt::AlignVCenter);
    added_.push_back(button);
    if (large && kind != Button::Kind::Quiet) {
        // Buttons keep to the left until a quiet one claims the far end.
        buttons_->setAlignment(Qt::AlignLeft);
    } else {
        buttons_->setAlignment(Qt::Alignment());
    }
    button->setVisible(true);
    return button;
}

QString MessageStrip::sentence() const {
    return sentence_->text();
}

void MessageStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.color(stateTint(state_)));
    painter.fillRect(QRect(0, 0, theme_.px(3), height()), theme_.color(stateColor(state_)));
}

}  // namespace fl::widgets
