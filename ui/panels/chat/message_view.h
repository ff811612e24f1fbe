// SPDX-License-Identifier: GPL-3.0-or-later
// One message of a conversation: who speaks, the words (as text, or token by token with their
// probabilities), and below an answer its figures and what can be done with it.
#pragma once

#include <QWidget>

#include "ui/models/chat_model.h"

class QBoxLayout;

namespace fl::widgets {
class HoverCard;
class TextLabel;
class Theme;
class TokenText;
}  // namespace fl::widgets

namespace fl::panels {

enum class MessageMode { Tokens, Text };

class MessageView : public QWidget {
    Q_OBJECT

public:
    MessageView(const widgets::Theme& theme, QWidget* parent = nullptr);

    // Shows the entry as it is now; a growing answer is only appended to.
    void show(const models::ChatEntry& entry, MessageMode mode);

signals:
    void copyRequested();
    void editRequested();   // of a question
    void retryRequested();  // of an answer

private:
    void buildActions(QBoxLayout* row);
    void showTokens(const models::ChatEntry& entry);
    void showCard(int token);

    const widgets::Theme& theme_;
    widgets::TextLabel* role_;
    widgets::TokenText* text_;
    widgets::TextLabel* summary_;
    QWidget* copy_;
    QWidget* edit_;
    QWidget* retry_;
    widgets::HoverCard* card_ = nullptr;
    std::vector<protocol::TokenInfo> shown_;
    int promptTokens_ = 0;
};

}  // namespace fl::panels
