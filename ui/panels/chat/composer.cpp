// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/composer.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/theme_style.h"

namespace fl::panels {

using widgets::Button;

Composer::Composer(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      edit_(new QPlainTextEdit),
      send_(new Button(theme, tr("Send"), Button::Kind::Normal, Button::Size::Compact)),
      stop_(new Button(theme, tr("Stop"), Button::Kind::Danger, Button::Size::Compact)) {
    edit_->setFrameShape(QFrame::NoFrame);
    edit_->setFont(theme.font(widgets::TextRole::Base));
    edit_->setFixedHeight(theme.px(56));
    edit_->setTabChangesFocus(true);
    edit_->setAccessibleName(tr("Prompt"));
    widgets::clearGround(*edit_);
    edit_->document()->setDocumentMargin(2);
    edit_->setPlaceholderText(tr("Write a prompt"));
    edit_->installEventFilter(this);
    stop_->setIconName(QStringLiteral("stop"));
    stop_->setAccessibleName(tr("Stop the answer"));
    auto* hint = new widgets::TextLabel(theme, widgets::TextRole::Axis, widgets::Token::T3);
    hint->setText(tr("Ctrl+Enter"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch();
    buttons->addWidget(hint);
    buttons->addWidget(send_);
    buttons->addWidget(stop_);
    auto* card = new widgets::Card(theme, widgets::Card::Kind::Field);
    auto* rows = new QVBoxLayout(card);
    rows->setContentsMargins(10, 8, 8, 8);
    rows->setSpacing(4);
    rows->addWidget(edit_);
    rows->addLayout(buttons);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(12, 10, 12, 12);
    outer->addWidget(card);
    connect(send_, &Button::clicked, this, &Composer::send);
    connect(stop_, &Button::clicked, this, &Composer::stopRequested);
    connect(edit_, &QPlainTextEdit::textChanged, this, &Composer::showState);
    showState();
}

void Composer::setBlocked(const QString& reason) {
    blocked_ = reason;
    showState();
}

void Composer::setStreaming(bool streaming) {
    streaming_ = streaming;
    showState();
}

void Composer::setText(const QString& text) {
    edit_->setPlainText(text);
    edit_->moveCursor(QTextCursor::End);
}

QString Composer::text() const {
    return edit_->toPlainText();
}

void Composer::takeFocus() {
    edit_->setFocus();
}

void Composer::showState() {
    send_->setVisible(!streaming_);
    stop_->setVisible(streaming_);
    const bool empty = edit_->toPlainText().trimmed().isEmpty();
    send_->setBlocked(!blocked_.isEmpty() ? blocked_
                      : empty             ? tr("Write a prompt first")
                                          : QString());
    edit_->setPlaceholderText(blocked_.isEmpty() ? tr("Write a prompt") : blocked_);
}

void Composer::send() {
    const QString text = edit_->toPlainText();
    if (streaming_ || !blocked_.isEmpty() || text.trimmed().isEmpty())
        return;
    edit_->clear();
    emit sendRequested(text);
}

bool Composer::eventFilter(QObject* watched, QEvent* event) {
    if (watched == edit_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && key->modifiers().testFlag(Qt::ControlModifier)) {
            send();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace fl::panels
