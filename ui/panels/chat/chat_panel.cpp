// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/chat/chat_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QUuid>
#include <QVBoxLayout>

#include "engine/protocol/names.h"
#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/panels/chat/composer.h"
#include "ui/panels/chat/sampling_form.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/segmented_control.h"

namespace fl::panels {

using models::ChatEntry;
using widgets::Button;

namespace {

// Alternatives asked for with each token: as many as the card shows.
constexpr int kAlternatives = 5;

Button* toggle(const widgets::Theme& theme, const QString& icon, const QString& tip) {
    auto* button = new Button(theme, {}, Button::Kind::Quiet, Button::Size::Compact);
    button->setIconName(icon);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    return button;
}

}  // namespace

ChatPanel::ChatPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context) {
    buildUi();
    buildActions();
    connectModels();
    rebuild();
    showReadiness();
}

void ChatPanel::buildHeader() {
    const widgets::Theme& theme = context_.theme;
    header_ = new widgets::PanelHeader(theme, tr("Chat"));
    mode_ = new widgets::SegmentedControl(theme);
    mode_->setSegments({tr("Tokens"), tr("Text")});
    mode_->setAccessibleName(tr("How answers are shown"));
    samplingButton_ = toggle(theme, QStringLiteral("sliders"), tr("Sampling and system prompt"));
    promptButton_ = toggle(theme, QStringLiteral("note"), tr("Rendered prompt"));
    header_->addRight(mode_);
    header_->addRight(promptButton_);
    header_->addRight(samplingButton_);
    sampling_ = new SamplingForm(theme);
    sampling_->hide();
    prompt_ = new QPlainTextEdit;
    prompt_->setReadOnly(true);
    prompt_->setFont(theme.font(widgets::TextRole::Log));
    prompt_->setFrameShape(QFrame::NoFrame);
    prompt_->setFixedHeight(theme.px(150));
    prompt_->document()->setDocumentMargin(12);
    prompt_->setAccessibleName(tr("Rendered prompt"));
    prompt_->setPlaceholderText(tr("What the template makes of the next question stands here"));
    prompt_->hide();
}

void ChatPanel::buildConversation() {
    const widgets::Theme& theme = context_.theme;
    waiting_ = new widgets::EmptyState(theme, QStringLiteral("spark"));
    waiting_->setTitle(tr("The model answers here once Load has passed"));
    waiting_->setBody(tr("Until then you can write what to ask first."));
    waiting_->addHint(QStringLiteral("pencil"),
                      tr("Point at any token of an answer for its probability and what nearly came "
                         "instead."));
    waiting_->addHint(QStringLiteral("branch"), tr("Edit a message to ask again from there."));
    greeting_ = new widgets::EmptyState(theme, QStringLiteral("chat"));
    greeting_->setTitle(tr("The model is ready"));
    greeting_->setBody(tr("Ask something whose answer you know."));
    for (const QString& question :
         {tr("What is the capital of France?"), tr("Write one sentence about the Moon.")}) {
        connect(greeting_->addButton(question), &Button::clicked, this,
                [this, question] { ask(question); });
    }
    auto* conversation = new QWidget;
    rows_ = new QVBoxLayout(conversation);
    rows_->setContentsMargins(0, 6, 0, 6);
    rows_->setSpacing(4);
    rows_->addStretch();
    scroll_ = new QScrollArea;
    scroll_->setWidget(conversation);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setAccessibleName(tr("Conversation"));
    pages_ = new widgets::PageLayout;
    pages_->addWidget(waiting_);
    pages_->addWidget(greeting_);
    pages_->addWidget(scroll_);
}

void ChatPanel::buildUi() {
    buildHeader();
    buildConversation();
    composer_ = new Composer(context_.theme);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(sampling_);
    column->addWidget(prompt_);
    column->addLayout(pages_, 1);
    column->addWidget(new widgets::Hairline(context_.theme, Qt::Horizontal));
    column->addWidget(composer_);
    connect(samplingButton_, &Button::toggled, sampling_, &QWidget::setVisible);
    connect(promptButton_, &Button::toggled, this, [this](bool shown) {
        prompt_->setVisible(shown);
        showPrompt();
    });
    connect(mode_, &widgets::SegmentedControl::chosen, this, &ChatPanel::rebuild);
    connect(composer_, &Composer::sendRequested, this, &ChatPanel::ask);
    connect(composer_, &Composer::stopRequested, this, &ChatPanel::stop);
    QScrollBar* bar = scroll_->verticalScrollBar();
    connect(bar, &QScrollBar::actionTriggered, this,
            [this, bar] { following_ = bar->sliderPosition() >= bar->maximum() - 4; });
    connect(bar, &QScrollBar::rangeChanged, this, [this] {
        if (following_)
            scrollToEnd();
    });
}

void ChatPanel::buildActions() {
    auto* clear = new QAction(tr("Chat: begin a new conversation"), this);
    connect(clear, &QAction::triggered, this, [this] {
        stop();
        context_.models.chat.reset();
    });
    auto* focus = new QAction(tr("Chat: write a prompt"), this);
    connect(focus, &QAction::triggered, composer_, &Composer::takeFocus);
    addActions({focus, clear});
}

void ChatPanel::connectModels() {
    models::ChatModel& chat = context_.models.chat;
    connect(&chat, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                for (int row = first.row(); row <= last.row(); ++row)
                    showRow(row);
            });
    connect(&chat, &QAbstractItemModel::rowsInserted, this, &ChatPanel::rebuild);
    connect(&chat, &QAbstractItemModel::rowsRemoved, this, &ChatPanel::rebuild);
    connect(&chat, &QAbstractItemModel::modelReset, this, &ChatPanel::rebuild);
    connect(&chat, &models::ChatModel::streamingChanged, this, &ChatPanel::showReadiness);
    connect(&context_.models.stages, &QAbstractItemModel::dataChanged, this,
            &ChatPanel::showReadiness);
    connect(&context_.models.stages, &QAbstractItemModel::modelReset, this,
            &ChatPanel::showReadiness);
}

bool ChatPanel::ready() const {
    const QString state = context_.models.stages.stateOf(QStringLiteral("load"));
    return state == QLatin1String("passed") || state == QLatin1String("warnings");
}

void ChatPanel::showReadiness() {
    const bool empty = context_.models.chat.rowCount() == 0;
    QWidget* page = scroll_;
    if (empty)
        page = ready() ? greeting_ : waiting_;
    pages_->setCurrentWidget(page);
    composer_->setBlocked(ready() ? QString() : tr("Waits for Load"));
    composer_->setStreaming(context_.models.chat.streamingRow() >= 0);
    showPrompt();
}

void ChatPanel::rebuild() {
    const models::ChatModel& chat = context_.models.chat;
    while (int(views_.size()) > chat.rowCount()) {
        delete views_.back();
        views_.pop_back();
    }
    while (int(views_.size()) < chat.rowCount()) {
        const int row = int(views_.size());
        auto* view = new MessageView(context_.theme);
        connect(view, &MessageView::copyRequested, this, [this, row] {
            QApplication::clipboard()->setText(context_.models.chat.entry(row).text);
        });
        connect(view, &MessageView::editRequested, this, [this, row] { editFrom(row); });
        connect(view, &MessageView::retryRequested, this, [this, row] { retryFrom(row); });
        rows_->insertWidget(rows_->count() - 1, view);
        views_.push_back(view);
    }
    for (int row = 0; row < chat.rowCount(); ++row)
        showRow(row);
    showReadiness();
}

void ChatPanel::showRow(int row) {
    const auto mode = mode_->current() == 0 ? MessageMode::Tokens : MessageMode::Text;
    if (row >= 0 && row < int(views_.size()))
        views_[std::size_t(row)]->show(context_.models.chat.entry(row), mode);
    showPrompt();
}

void ChatPanel::scrollToEnd() {
    QScrollBar* bar = scroll_->verticalScrollBar();
    bar->setValue(bar->maximum());
}

// Long prompts take their time to be laid out: only where they are seen.
void ChatPanel::showPrompt() {
    if (prompt_->isHidden())
        return;
    const models::ChatModel& chat = context_.models.chat;
    QString prompt;
    for (int row = chat.rowCount() - 1; row >= 0 && prompt.isEmpty(); --row)
        prompt = chat.entry(row).prompt;
    if (prompt_->toPlainText() != prompt)
        prompt_->setPlainText(prompt);
}

void ChatPanel::ask(const QString& text) {
    if (!ready() || context_.models.chat.streamingRow() >= 0 || text.trimmed().isEmpty())
        return;
    std::vector<protocol::Message> messages = context_.models.chat.messages();
    const QString system = sampling_->systemPrompt();
    if (messages.empty() && !system.isEmpty())
        messages.push_back({"system", system.toStdString()});
    messages.push_back({"user", text.toStdString()});
    send(std::move(messages));
}

void ChatPanel::send(std::vector<protocol::Message> messages) {
    protocol::ChatRequest request;
    request.request = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
    request.messages = std::move(messages);
    request.sampling = sampling_->sampling();
    request.logprobs = kAlternatives;
    following_ = true;
    context_.models.chat.ask(request);
    const QString id = QString::fromStdString(request.request);
    context_.client.send(protocol::method::kChatSend, request)
        ->then<protocol::ChatStarted>(
            this,
            [this](const protocol::ChatStarted& started) {
                context_.models.applyChatStarted(started);
            },
            [this, id](const fl::Error& error) {
                context_.models.chat.fail(id, QString::fromStdString(error.message));
            });
}

void ChatPanel::stop() {
    const int row = context_.models.chat.streamingRow();
    if (row < 0)
        return;
    const protocol::ChatCancel cancel{context_.models.chat.entry(row).request.toStdString()};
    context_.client.send(protocol::method::kChatCancel, cancel);
}

void ChatPanel::editFrom(int row) {
    stop();
    composer_->setText(context_.models.chat.entry(row).text);
    context_.models.chat.truncate(row);
    composer_->takeFocus();
}

void ChatPanel::retryFrom(int row) {
    if (!ready() || context_.models.chat.streamingRow() >= 0)
        return;
    context_.models.chat.truncate(row);
    send(context_.models.chat.messages());
}

}  // namespace fl::panels
