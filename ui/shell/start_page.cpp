// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the first screen.
#include "ui/shell/start_page.h"

#include <QAction>
#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/shell/actions.h"
#include "ui/shell/settings.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/key_cap.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/theme_style.h"

namespace fl::shell {

using widgets::Button;
using widgets::Card;
using widgets::TextLabel;
using widgets::TextRole;
using widgets::Theme;
using widgets::Token;

namespace {

constexpr int kWidth = 880;
constexpr int kRowHeight = 30;
constexpr int kMostRows = 6;
enum Column { kName, kKind, kPlace, kResult, kWhen, kColumns };

class Mark : public QWidget {
public:
    Mark(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setFixedSize(theme.px(44), theme.px(44));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        widgets::paintMark(painter, rect(), theme_);
    }

private:
    const Theme& theme_;
};

QString whenText(const QDateTime& when) {
    const QLocale locale;
    const qint64 days = when.date().daysTo(QDate::currentDate());
    const QString time = when.time().toString(QStringLiteral("HH:mm"));
    if (days <= 0) {
        return StartPage::tr("today %1").arg(time);
    }
    if (days == 1) {
        return StartPage::tr("yesterday %1").arg(time);
    }
    return locale.toString(when.date(), StartPage::tr("d MMM"));
}

}  // namespace

StartPage::StartPage(const Theme& theme,
                     const Actions& actions,
                     const Settings& settings,
                     QWidget* parent)
    : QWidget(parent),
      theme_(theme),
      actions_(actions),
      settings_(settings) {
    auto* block = new QWidget(this);
    block->setMaximumWidth(theme.px(kWidth));
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    column->addSpacing(theme.px(32));
    auto* ways = new QHBoxLayout;
    ways->setSpacing(theme.px(16));
    open_ =
        addWay(*ways, {"folder", tr("Open a checkpoint"),
                       tr("A folder of safetensors or a GGUF file. Only headers are read; no code "
                          "from it ever runs."),
                       tr("Open…"), "Ctrl+O", true});
    connect(open_, &Button::clicked, actions[Command::Open], &QAction::trigger);
    Button* demo =
        addWay(*ways, {"play",
                       tr("Try the demo model"),
                       tr("A small real model on the processor alone. Every stage for real, "
                          "in about a minute."),
                       tr("Start demo"),
                       {},
                       false});
    connect(demo, &Button::clicked, actions[Command::Demo], &QAction::trigger);
    const auto follow = [demo, action = actions[Command::Demo]] {
        demo->setBlocked(action->isEnabled() ? QString() : action->toolTip());
    };
    connect(actions[Command::Demo], &QAction::changed, demo, follow);
    follow();
    Button* replay =
        addWay(*ways, {"film",
                       tr("Replay a recorded run"),
                       tr("A journal played back at any speed: topology, memory, latency, "
                          "findings, without a cluster."),
                       tr("Choose journal…"),
                       {},
                       false});
    replay->setBlocked(tr("This version records no journals yet"));
    column->addLayout(ways);
    column->addSpacing(theme.px(32));
    recent_ = buildRecent();
    column->addWidget(recent_);
    column->addSpacing(theme.px(16));
    column->addWidget(buildFoot());
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(block, 100);
    row->addStretch(1);
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(theme.px(24), theme.px(24), theme.px(24), theme.px(24));
    page->addSpacing(theme.px(40));
    page->addLayout(row);
    page->addStretch(1);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    refresh();
}

void StartPage::begin() {
    open_->setFocus(Qt::OtherFocusReason);
}

QWidget* StartPage::buildHead() {
    auto* head = new QWidget(this);
    auto* title = new TextLabel(theme_, TextRole::Title, Token::T1, head);
    title->setText(QStringLiteral("Firstlight"));
    auto* line = new TextLabel(theme_, TextRole::Answer, Token::T2, head);
    line->setText(tr("From a folder of shards to a checked, answering, measured model."));
    line->setElide(Qt::ElideRight);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(title);
    texts->addWidget(line);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme_.px(16));
    row->addWidget(new Mark(theme_, head));
    row->addLayout(texts, 1);
    return head;
}

Button* StartPage::addWay(QLayout& row, const Way& way) {
    auto* card = new Card(theme_, this);
    auto* icon =
        new widgets::IconLabel(theme_, way.icon, 24, way.primary ? Token::Accent : Token::T2, card);
    auto* title = new TextLabel(theme_, TextRole::Verdict, Token::T1, card);
    title->setText(way.title);
    auto* body = new TextLabel(theme_, TextRole::Base, Token::T2, card);
    body->setText(way.body);
    body->setWordWrap(true);
    auto* button =
        new Button(theme_, way.button, way.primary ? Button::Kind::Primary : Button::Kind::Normal,
                   Button::Size::Regular, card);
    button->setAccessibleDescription(way.title);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(theme_.px(10));
    buttons->addWidget(button);
    if (!way.keys.isEmpty()) {
        buttons->addWidget(new widgets::KeyCap(theme_, way.keys, card));
    }
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(card);
    const int padding = theme_.px(20);
    column->setContentsMargins(padding, padding, padding, padding);
    column->setSpacing(0);
    column->addWidget(icon);
    column->addSpacing(theme_.px(14));
    column->addWidget(title);
    column->addSpacing(theme_.px(8));
    column->addWidget(body);
    column->addStretch(1);
    column->addSpacing(theme_.px(14));
    column->addLayout(buttons);
    static_cast<QBoxLayout&>(row).addWidget(card, 1);
    return button;
}

QWidget* StartPage::buildRecent() {
    auto* card = new Card(theme_, this);
    auto* title = new TextLabel(theme_, TextRole::Strong, Token::T1, card);
    title->setText(tr("Recent"));
    filter_ = new QLineEdit(card);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setFixedWidth(theme_.px(180));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(theme_.px(12), theme_.px(4), theme_.px(12), theme_.px(4));
    head->addWidget(title, 1);
    head->addWidget(filter_);
    buildTable();
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, card));
    column->addWidget(table_);
    return card;
}

void StartPage::buildTable() {
    rows_ = new QStandardItemModel(0, kColumns, this);
    shown_ = new QSortFilterProxyModel(this);
    shown_->setSourceModel(rows_);
    shown_->setFilterKeyColumn(-1);
    shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_ = new QTableView(this);
    table_->setAccessibleName(tr("Recent models"));
    table_->setModel(shown_);
    widgets::styleTable(theme_, table_)->setRowHeight(kRowHeight);
    table_->verticalHeader()->setDefaultSectionSize(theme_.px(kRowHeight));
    table_->horizontalHeader()->hide();
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    widgets::clearGround(*table_);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(filter_, &QLineEdit::textChanged, shown_, &QSortFilterProxyModel::setFilterFixedString);
    const auto choose = [this](const QModelIndex& index) {
        Q_EMIT recentChosen(index.siblingAtColumn(kName).data(Qt::UserRole).toString());
    };
    connect(table_, &QTableView::activated, this, choose);
    connect(table_, &QTableView::clicked, this, choose);
}

QWidget* StartPage::buildFoot() {
    auto* foot = new QWidget(this);
    auto* hint = new TextLabel(theme_, TextRole::Small, Token::T3, foot);
    hint->setText(tr("Drop a model folder or a job file anywhere"));
    auto* keys = new Button(theme_, tr("Keys"), Button::Kind::Quiet, Button::Size::Compact, foot);
    connect(keys, &Button::clicked, actions_[Command::Keys], &QAction::trigger);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme_.px(6));
    row->addWidget(new widgets::IconLabel(theme_, QStringLiteral("drop"), 14, Token::T3, foot));
    row->addWidget(hint);
    row->addStretch(1);
    row->addWidget(keys);
    row->addWidget(new widgets::KeyCap(theme_, QStringLiteral("F1"), foot));
    return foot;
}

void StartPage::refresh() {
    rows_->removeRows(0, rows_->rowCount());
    for (const RecentModel& model : settings_.recent()) {
        QList<QStandardItem*> row;
        const QString place = model.plan.isEmpty()
                                  ? model.cluster
                                  : model.cluster + QStringLiteral(" · ") + model.plan;
        for (const QString& text :
             {model.name, tr("checkpoint"), place,
              model.result.isEmpty() ? tr("not planned") : model.result, whenText(model.when)}) {
            row << new QStandardItem(text);
        }
        const widgets::State state = widgets::stateFromWord(model.state);
        row[kName]->setData(model.checkpoint, Qt::UserRole);
        row[kName]->setData(model.state, widgets::kStateRole);
        row[kName]->setData(int(Token::T1), widgets::kColorRole);
        row[kName]->setData(true, widgets::kStrongRole);
        row[kName]->setToolTip(model.checkpoint);
        row[kKind]->setData(int(Token::T3), widgets::kColorRole);
        row[kPlace]->setData(int(Token::T2), widgets::kColorRole);
        const bool said = state != widgets::State::Idle && state != widgets::State::Note;
        row[kResult]->setData(int(said ? widgets::stateColor(state) : Token::T2),
                              widgets::kColorRole);
        row[kWhen]->setData(int(Token::T3), widgets::kColorRole);
        row[kWhen]->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        rows_->appendRow(row);
    }
    const int count = std::min(rows_->rowCount(), kMostRows);
    recent_->setVisible(count > 0);
    table_->setFixedHeight(theme_.px(kRowHeight) * count);
    QHeaderView* header = table_->horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(kResult, QHeaderView::Stretch);
    const int widths[kColumns] = {200, 110, 200, 200, 140};
    for (int column = 0; column < kColumns; ++column) {
        if (column != kResult) {
            header->resizeSection(column, theme_.px(widths[column]));
        }
    }
}

void StartPage::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme_.color(Token::Bg1));
}

}  // namespace fl::shell
