// SPDX-License-Identifier: GPL-3.0-or-later
// Talk to the loaded model: the conversation, streaming; sampling; the rendered prompt.
#pragma once

#include <vector>

#include "ui/panels/chat/message_view.h"
#include "ui/panels/panel.h"

class QPlainTextEdit;
class QScrollArea;
class QVBoxLayout;

namespace fl::widgets {
class Button;
class EmptyState;
class PageLayout;
class PanelHeader;
class SegmentedControl;
}  // namespace fl::widgets

namespace fl::panels {

class Composer;
class SamplingForm;

class ChatPanel : public Panel {
    Q_OBJECT

public:
    explicit ChatPanel(const PanelContext& context, QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("chat"); }
    QString title() const override { return tr("Chat"); }
    QString iconName() const override { return QStringLiteral("chat"); }
    PanelPlace place() const override { return PanelPlace::Right; }
    widgets::PanelHeader* header() const override { return header_; }

    // Sends what the user would have typed. Blocked (not loaded, answering): nothing happens.
    void ask(const QString& text);
    void stop();

private:
    void buildUi();
    void buildHeader();
    void buildConversation();
    void buildActions();
    void connectModels();
    void showReadiness();
    void showRow(int row);
    void rebuild();
    void scrollToEnd();
    void send(std::vector<protocol::Message> messages);
    void editFrom(int row);
    void retryFrom(int row);
    void showPrompt();
    bool ready() const;

    PanelContext context_;
    widgets::PanelHeader* header_;
    widgets::SegmentedControl* mode_;
    widgets::PageLayout* pages_;
    widgets::EmptyState* waiting_;
    widgets::EmptyState* greeting_;
    QScrollArea* scroll_;
    QVBoxLayout* rows_;
    SamplingForm* sampling_;
    QPlainTextEdit* prompt_;
    widgets::Button* samplingButton_;
    widgets::Button* promptButton_;
    Composer* composer_;
    std::vector<MessageView*> views_;
    bool following_ = true;  // the newest line stays in view until the user scrolls up
};

}  // namespace fl::panels
