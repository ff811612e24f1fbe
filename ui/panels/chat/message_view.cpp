// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/message_view.h"

#include <cmath>

#include <QHBoxLayout>
#include <QTextBoundaryFinder>
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

// A word that is wider than the panel would widen the panel: long ones get places to break at,
// never inside of what is seen as one character.
QString breakable(const QString& text) {
    constexpr int kLongestWord = 16;
    constexpr QChar kZeroWidthSpace(0x200B);
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    QString out;
    int word = 0;
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = finder.toNextBoundary()) >= 0; begin = end) {
        word = text[begin].isSpace() ? 0 : word + 1;
        if (word > kLongestWord) {
            out += kZeroWidthSpace;
            word = 1;
        }
        out += QStringView(text).mid(begin, end - begin);
    }
    return out;
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
      text_(new TextLabel(theme, TextRole::Answer)),
      tokens_(new widgets::TokenText(theme)),
      summary_(new TextLabel(theme, TextRole::Small, Token::T3)) {
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
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
    rows->addWidget(tokens_);
    rows->addWidget(summary_);
    connect(tokens_, &widgets::TokenText::tokenEntered, this, &MessageView::showCard);
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
    tokens_->setVisible(asTokens);
    text_->setVisible(!asTokens);
    promptTokens_ = entry.promptTokens;
    if (asTokens) {
        showTokens(entry);
        tokens_->setCursorShown(!ended);
        // Not at every token: the name is as long as the answer.
        if (ended)
            tokens_->setAccessibleName(tr("Answer: %1").arg(entry.text));
    } else {
        text_->setText(breakable(entry.text));
    }
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
    if (entry.tokens.size() < shown_.size()) {
        shown_.clear();
        tokens_->setTokens({});
    }
    for (std::size_t i = shown_.size(); i < entry.tokens.size(); ++i) {
        tokens_->append(piece(entry.tokens[i]));
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
    const QRect box = tokens_->tokenRect(token);
    card_->showBeside({tokens_->mapToGlobal(box.topLeft()), box.size()});
}

}  // namespace fl::panels
