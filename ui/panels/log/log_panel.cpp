// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log/log_panel.h"

#include <algorithm>

#include <QAction>
#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QToolTip>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/log/log_delegate.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"

namespace fl::panels {

using models::LogModel;
using widgets::Button;

namespace {

constexpr int kFrameMilliseconds = 50;
constexpr int kAllRanks = -2;
constexpr int kPinTextFrom = 540;
// Beside the text of a filter: its padding and, of a choice, the arrow.
constexpr int kChoiceMargin = 40;
constexpr int kFieldMargin = 18;

// A choice is never narrower than what it says at first.
void fitTo(QWidget& filter, const widgets::Theme& theme, const QString& text, int margin) {
    const QFontMetrics metrics(theme.font(widgets::TextRole::Base));
    const int least = metrics.horizontalAdvance(text) + theme.px(margin);
    filter.setMinimumWidth(least);
    filter.setMaximumWidth(least + theme.px(16));
}

}  // namespace

LogPanel::LogPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      theme_(context.theme),
      models_(context.models),
      filter_(&context.models.log) {
    soon_.setSingleShot(true);
    soon_.setInterval(kFrameMilliseconds);
    connect(&soon_, &QTimer::timeout, this, &LogPanel::refresh);
    buildUi();
    addActions();
    const auto later = [this] {
        if (!soon_.isActive())
            soon_.start();
    };
    connect(&models_.log, &LogModel::firstErrorChanged, this, later);
    connect(&models_.log, &LogModel::rankSeen, this, later);
    connect(&filter_, &QAbstractItemModel::rowsInserted, this, later);
    connect(&filter_, &QAbstractItemModel::rowsRemoved, this, later);
    connect(&filter_, &QAbstractItemModel::modelReset, this, later);
    connect(&theme_, &widgets::Theme::changed, this, [this] { list_->viewport()->update(); });
    refresh();
}

void LogPanel::buildUi() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    header_ = new widgets::PanelHeader(theme_, title(), this);
    column->addWidget(header_);
    buildFilters();
    stack_ = new widgets::PageLayout;
    column->addLayout(stack_, 1);
    list_ = new QListView(this);
    list_->setAccessibleName(tr("Log lines"));
    list_->setModel(&filter_);
    list_->setItemDelegate(new LogDelegate(theme_, list_));
    list_->setUniformItemSizes(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFrameShape(QFrame::NoFrame);
    list_->viewport()->installEventFilter(this);
    connect(list_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        // The value has not moved yet while the action is told.
        const QScrollBar* bar = list_->verticalScrollBar();
        following_ = bar->sliderPosition() >= bar->maximum();
        live_->setVisible(!following_);
    });
    stack_->addWidget(list_);
    auto* empty = new widgets::EmptyState(theme_, QStringLiteral("log"), this);
    empty->setTitle(tr("No lines yet"));
    empty->setBody(tr("What the engine and each rank say comes here, merged by time."));
    stack_->addWidget(empty);
    auto* none = new widgets::EmptyState(theme_, QStringLiteral("filter"), this);
    none->setTitle(tr("The filters hide every line"));
    none->setBody(tr("Rank, level and words are chosen above."));
    connect(none->addButton(tr("Show all")), &Button::clicked, this, [this] {
        ranks_->setCurrentIndex(0);
        levels_->setCurrentIndex(0);
        words_->clear();
    });
    stack_->addWidget(none);
}

void LogPanel::buildFilters() {
    pin_ = new Button(theme_, tr("First error"), Button::Kind::Danger, Button::Size::Compact, this);
    pin_->setIconName(QStringLiteral("pin"));
    pin_->setToolTip(tr("Go to the first error of this run"));
    pin_->setAccessibleName(tr("First error"));
    connect(pin_, &Button::clicked, this, &LogPanel::showFirstError);
    header_->addLeft(pin_);
    live_ = new Button(theme_, tr("Live"), Button::Kind::Quiet, Button::Size::Compact, this);
    live_->setIconName(QStringLiteral("live"));
    live_->setToolTip(tr("Follow the newest line again"));
    live_->hide();
    connect(live_, &Button::clicked, this, [this] {
        following_ = true;
        refresh();
    });
    header_->addRight(live_);
    ranks_ = new QComboBox(this);
    ranks_->setAccessibleName(tr("Rank"));
    fitTo(*ranks_, theme_, tr("All ranks"), kChoiceMargin);
    connect(ranks_, &QComboBox::currentIndexChanged, this, [this] {
        const int rank = ranks_->currentData().toInt();
        filter_.setRank(rank == kAllRanks ? std::nullopt : std::optional<int>(rank));
        refresh();
    });
    header_->addRight(ranks_);
    levels_ = new QComboBox(this);
    levels_->setAccessibleName(tr("Least level"));
    fitTo(*levels_, theme_, tr("All levels"), kChoiceMargin);
    const std::pair<QString, QString> levels[] = {{tr("All levels"), QStringLiteral("debug")},
                                                  {tr("Info"), QStringLiteral("info")},
                                                  {tr("Warning"), QStringLiteral("warning")},
                                                  {tr("Error"), QStringLiteral("error")}};
    for (const auto& [name, level] : levels)
        levels_->addItem(name, level);
    connect(levels_, &QComboBox::currentIndexChanged, this, [this] {
        filter_.setLeastLevel(levels_->currentData().toString());
        refresh();
    });
    header_->addRight(levels_);
    words_ = new QLineEdit(this);
    words_->setPlaceholderText(tr("Filter, -word"));
    words_->setAccessibleName(tr("Filter by words"));
    fitTo(*words_, theme_, words_->placeholderText(), kFieldMargin);
    words_->setClearButtonEnabled(false);
    connect(words_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filter_.setWords(text);
        refresh();
    });
    header_->addRight(words_);
}

void LogPanel::addActions() {
    auto* copy = new QAction(tr("Log: copy the chosen lines"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this, &LogPanel::copy);
    addAction(copy);
    auto* first = new QAction(tr("Log: go to the first error"), this);
    connect(first, &QAction::triggered, this, &LogPanel::showFirstError);
    addAction(first);
}

void LogPanel::refreshRanks() {
    const int last = models_.log.lastRank();
    if (last == knownRanks_ && ranks_->count() > 0)
        return;
    knownRanks_ = last;
    const QVariant chosen = ranks_->currentData();
    const QSignalBlocker quiet(ranks_);
    ranks_->clear();
    ranks_->addItem(tr("All ranks"), kAllRanks);
    ranks_->addItem(tr("Control"), -1);
    for (int rank = 0; rank <= last; ++rank)
        ranks_->addItem(tr("Rank %1").arg(rank), rank);
    ranks_->setCurrentIndex(std::max(0, ranks_->findData(chosen)));
}

void LogPanel::refresh() {
    refreshRanks();
    const bool none = models_.log.rowCount() == 0;
    stack_->setCurrentIndex(none ? 1 : filter_.rowCount() == 0 ? 2 : 0);
    pin_->setVisible(models_.log.firstError() >= 0);
    live_->setVisible(!following_);
    if (following_)
        list_->scrollToBottom();
}

void LogPanel::showFirstError() {
    if (filter_.firstError() < 0) {
        ranks_->setCurrentIndex(0);
        words_->clear();
    }
    const int row = filter_.firstError();
    if (row < 0)
        return;
    following_ = false;
    refresh();
    list_->scrollTo(filter_.index(row, 0), QAbstractItemView::PositionAtCenter);
    list_->setCurrentIndex(filter_.index(row, 0));
}

void LogPanel::copy() const {
    QModelIndexList chosen = list_->selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end());
    QStringList lines;
    for (const QModelIndex& index : chosen)
        lines << index.data().toString();
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void LogPanel::reveal(const QString& what) {
    if (!what.startsWith(QLatin1String("rank ")))
        return;
    refreshRanks();
    const int row = ranks_->findData(what.mid(5).toInt());
    if (row >= 0)
        ranks_->setCurrentIndex(row);
}

// A narrow panel keeps the pin without its words.
void LogPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    const bool room = width() > theme_.px(kPinTextFrom);
    pin_->setText(room ? tr("First error") : QString());
    pin_->updateGeometry();
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        // Judged after the view has scrolled.
        QTimer::singleShot(0, this, [this] {
            const QScrollBar* bar = list_->verticalScrollBar();
            following_ = bar->value() >= bar->maximum();
            live_->setVisible(!following_);
        });
    } else if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QModelIndex index = list_->indexAt(help->pos());
        QToolTip::showText(help->globalPos(), index.data().toString(), list_);
        return true;
    }
    return Panel::eventFilter(watched, event);
}

}  // namespace fl::panels
