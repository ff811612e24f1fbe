// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/message_view.h"

#include <cmath>

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/panels/chat/alternatives_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/token_text.h"

namespace fl::panels {

using models::ChatEntry;
using widgets::Button;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Token;

namespace {

QString roleName(const QString& role) {
    if (role == QLatin1String("user"))
        return MessageView::tr("You");
    if (role == QLatin1String("system"))
        return MessageView::tr("System");
    return MessageView::tr("Model");
}

Token roleColor(const QString& role) {
    if (role == QLatin1String("user"))
        return Token::T1;
    return role == QLatin1String("system") ? Token::T3 : Token::Accent;
}

Button* action(const widgets::Theme& theme, const QString& icon, const QString& tip) {
    auto* button = new Button(theme, {}, Button::Kind::Quiet, Button::Size::Compact);
    button->setIconName(icon);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

}  // namespace

MessageView::MessageView(const widgets::Theme& theme, QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      role_(new TextLabel(theme, TextRole::Strong)),
      text_(new widgets::TokenText(theme)),
      summary_(new TextLabel(theme, TextRole::Small, Token::T3)) {
    summary_->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(role_);
    head->addStretch();
    buildActions(head);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(12, 6, 12, 6);
    rows->setSpacing(2);
    rows->addLayout(head);
    rows->addWidget(text_);
    rows->addWidget(summary_);
    connect(text_, &widgets::TokenText::tokenEntered, this, &MessageView::showCard);
}

void MessageView::buildActions(QBoxLayout* row) {
    auto* copy = action(theme_, QStringLiteral("copy"), tr("Copy the text"));
    auto* edit = action(theme_, QStringLiteral("pencil"), tr("Edit and ask again from here"));
    auto* retry = action(theme_, QStringLiteral("refresh"), tr("Answer again"));
    connect(copy, &Button::clicked, this, &MessageView::copyRequested);
    connect(edit, &Button::clicked, this, &MessageView::editRequested);
    connect(retry, &Button::clicked, this, &MessageView::retryRequested);
    row->addWidget(retry);
    row->addWidget(edit);
    row->addWidget(copy);
    copy_ = copy;
    edit_ = edit;
    retry_ = retry;
}

void MessageView::show(const ChatEntry& entry, MessageMode mode) {
    const bool answer = entry.role == QLatin1String("assistant");
    const bool ended =
        entry.state != ChatEntry::State::Waiting && entry.state != ChatEntry::State::Streaming;
    role_->setText(roleName(entry.role));
    role_->setColor(roleColor(entry.role));
    const bool asTokens = answer && mode == MessageMode::Tokens && !entry.tokens.empty();
    promptTokens_ = entry.promptTokens;
    if (asTokens) {
        showTokens(entry);
    } else {
        shown_.clear();
        text_->setPlainText(entry.text);
    }
    text_->setCursorShown(answer && !ended);
    // Not at every token: the name is as long as the text.
    if (ended)
        text_->setAccessibleName(tr("%1: %2").arg(role_->text(), entry.text));
    summary_->setText(models::ChatModel::summary(entry));
    summary_->setVisible(answer);
    const bool failed = entry.state == ChatEntry::State::Failed;
    summary_->setColor(failed ? Token::Err : ended ? Token::T3 : Token::Accent);
    retry_->setVisible(answer && ended);
    edit_->setVisible(entry.role == QLatin1String("user"));
    copy_->setVisible(ended && !entry.text.isEmpty());
}

void MessageView::showTokens(const ChatEntry& entry) {
    const auto piece = [](const protocol::TokenInfo& token) {
        return widgets::TextToken{QString::fromStdString(token.text), std::exp(token.logprob)};
    };
    // An answer only grows; a shorter one is another answer.
    if (shown_.empty() || entry.tokens.size() < shown_.size()) {
        shown_.clear();
        text_->setTokens({});
    }
    for (std::size_t i = shown_.size(); i < entry.tokens.size(); ++i) {
        text_->append(piece(entry.tokens[i]));
        shown_.push_back(entry.tokens[i]);
    }
}

void MessageView::showCard(int token) {
    if (token < 0 || token >= int(shown_.size())) {
        if (card_)
            card_->hide();
        return;
    }
    if (!card_)
        card_ = new widgets::HoverCard(theme_, this);
    const protocol::TokenInfo& info = shown_[std::size_t(token)];
    card_->setTitle(QStringLiteral("“%1”").arg(QString::fromStdString(info.text)));
    card_->setSubtitle(tr("id %L1 · position %L2").arg(info.id).arg(promptTokens_ + token));
    card_->setBody(new AlternativesView(theme_, info));
    const QRect box = text_->tokenRect(token);
    card_->showBeside({text_->mapToGlobal(box.topLeft()), box.size()});
}

}  // namespace fl::panels
