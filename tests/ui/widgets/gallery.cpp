// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the widgets side by side.
#include "tests/ui/widgets/gallery.h"

#include <cmath>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/widgets/badge.h"
#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/ledger_bar.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/metric_plot.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/stage_rail_item.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/token_text.h"
#include "ui/widgets/what_if_row.h"

namespace fl::test {

using namespace widgets;

namespace {

// Tokens as swatches with their names.
class Swatches : public QWidget {
public:
    Swatches(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
        setFixedHeight(128);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setFont(theme_.font(TextRole::Axis));
        for (int i = 0; i < 5; ++i) {
            const QRect box(width() * i / 5, 0, width() / 5, 40);
            painter.fillRect(box, theme_.color(static_cast<Token>(i)));
            painter.setPen(theme_.color(Token::T1));
            painter.drawText(box.adjusted(8, 4, 0, 0), Theme::tokenName(static_cast<Token>(i)));
        }
        for (int n = 1; n <= 8; ++n) {
            const int wide = width() / 8;
            painter.fillRect(QRect((n - 1) * wide, 52, wide - 4, 14), theme_.series(n));
            painter.setPen(theme_.color(Token::T3));
            painter.drawText(QRect((n - 1) * wide, 68, wide, 16), Qt::AlignLeft,
                             QString::number(n));
        }
        for (int x = 0; x < width() / 2 - 8; ++x) {
            const double value = x / (width() / 2.0 - 8);
            painter.fillRect(QRect(x, 96, 1, 14), theme_.sequential(value));
            painter.fillRect(QRect(width() / 2 + 8 + x, 96, 1, 14), theme_.diverging(value));
        }
    }

private:
    const Theme& theme_;
};

TextLabel* caption(const Theme& theme, const QString& text) {
    auto* label = new TextLabel(theme, TextRole::Axis, Token::T3);
    label->setText(text);
    return label;
}

QWidget* rail(const Theme& theme) {
    auto* box = new Card(theme);
    box->setFixedWidth(210);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    StageLook load{"Load",       State::Running,
                   "1 min 44 s", "356.9 of 554.3 GiB",
                   0.64,         "64 %, 3.43 GiB/s",
                   "3:17 left",  {{"node-a", 0.74, false}, {"node-c", 0.35, true}},
                   "Cancel load"};
    for (const StageLook& look :
         {StageLook{"Inspect", State::Passed, "1.8 s", "208,550 tensors", -1, {}, {}, {}, {}},
          StageLook{"Plan", State::Stale, {}, "Cluster changed: plan again", -1, {}, {}, {}, {}},
          StageLook{
              "Launch", State::Warning, "41.3 s", "32/32 ranks, 1 slow link", -1, {}, {}, {}, {}},
          load,
          StageLook{
              "Validate", State::Failed, "4 min 12 s", "Parts at layer 34", -1, {}, {}, {}, {}},
          StageLook{"Baseline", State::Idle, {}, "Waits for Load", -1, {}, {}, {}, {}}}) {
        auto* item = new StageRailItem(theme, box);
        item->setLook(look);
        column->addWidget(item);
    }
    return box;
}

QLayout* buttons(const Theme& theme) {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    const auto add = [&](const QString& text, Button::Kind kind) {
        auto* button = new Button(theme, text, kind);
        row->addWidget(button);
        return button;
    };
    add("Launch", Button::Kind::Primary);
    add("Normal", Button::Kind::Normal);
    add("Pressed", Button::Kind::Normal)->setDown(true);
    add("Disabled", Button::Kind::Normal)->setBlocked("Waits for Plan");
    add("Stop", Button::Kind::Danger);
    add("Quiet", Button::Kind::Quiet);
    auto* model = add("Model", Button::Kind::Normal);
    model->setValue("Kimi-K2.5");
    model->setDropDown(true);
    row->addStretch(1);
    return row;
}

QLayout* choices(const Theme& theme) {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* segments = new SegmentedControl(theme);
    segments->setSegments({"Bytes", "Dtype", "Load"});
    segments->setAccessibleName("Colour by");
    segments->setBlocked(2, "Waits for Load");
    row->addWidget(segments);
    auto* on = new Chip(theme, "TP");
    on->setCheckable(true);
    on->setChecked(true);
    row->addWidget(on);
    row->addWidget(new Chip(theme, "PP"));
    for (const auto& [text, state] : {std::pair<QString, State>{"12", State::Idle},
                                      {"1", State::Warning},
                                      {"3", State::Failed},
                                      {"whole", State::Passed}}) {
        auto* badge = new Badge(theme);
        row->addWidget(badge);
        badge->setBadge(text, state);
    }
    auto* field = new QLineEdit;
    field->setPlaceholderText("Filter, -word");
    field->setMinimumWidth(120);
    row->addWidget(field);
    row->addStretch(1);
    return row;
}

QLayout* strips(const Theme& theme) {
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    const auto add = [&](State state, const QString& text, const QString& button) {
        auto* strip = new MessageStrip(theme);
        column->addWidget(strip);
        strip->show(StripMessage{state, text, {}, {}, {}});
        if (!button.isEmpty()) {
            strip->addButton(button, Button::Kind::Normal);
        }
    };
    add(State::Failed, "Rank 13 died during Launch: signal 7", "Launch again");
    add(State::Warning, "node-c reads at 0.46 GiB/s", "Evidence");
    add(State::Passed, "Faster than run 0417", {});
    add(State::Running, "Still working: 412 of 960 tensors", "Cancel");
    auto* large = new MessageStrip(theme, MessageStrip::Shape::Large);
    column->addWidget(large);
    large->show(StripMessage{
        State::Failed, "Rank 13 died during Launch: signal 7 (SIGBUS), 12.4 s after its start",
        "node-b, card 5, while forming group tp1. The other 31 ranks stopped cleanly.",
        "r13 nccl shm segment nccl-Kq3vYb: write of 33,554,432 B past the end", "last line"});
    large->addButton("Launch again", Button::Kind::Primary, "restart");
    large->addButton("Open journal", Button::Kind::Quiet, "book");
    large->addButton("Copy as text", Button::Kind::Quiet, "copy");
    return column;
}

QWidget* table(const Theme& theme) {
    auto* view = new QTableView;
    view->setAccessibleName("Plans");
    auto* model = new QStandardItemModel(0, 4, view);
    model->setHorizontalHeaderLabels({"Plan", "Peak GiB", "Step ms", "State"});
    const auto add = [&](const QString& plan, const QString& peak, const QString& step,
                         const QString& word, const QString& state) {
        QList<QStandardItem*> row;
        for (const QString& text : {plan, peak, step, word}) {
            row << new QStandardItem(text);
        }
        row[1]->setTextAlignment(Qt::AlignRight);
        row[2]->setTextAlignment(Qt::AlignRight);
        if (!state.isEmpty()) {
            row[3]->setData(state, kStateRole);
        }
        model->appendRow(row);
    };
    add("tp8·pp2·ep16·dp2", "62.3", "14.9", "tight", "warning");
    add("tp4·pp4·ep8·dp2", "44.6", "16.1", "fits", "passed");
    add("tp8·pp4·ep8", "61.2", "14.6", "in use", {});
    model->horizontalHeaderItem(1)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    model->horizontalHeaderItem(2)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    view->setModel(model);
    styleTable(theme, view);
    view->setColumnWidth(0, 180);
    view->selectRow(2);
    view->setFixedHeight(26 * 4 + 2);
    return view;
}

QLayout* plots(const Theme& theme) {
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    auto* left = new QVBoxLayout;
    auto* memory = new MetricPlot(theme, XAxis::Bars);
    memory->setUnit("GiB");
    memory->setBars({{"Weights", 1, {13.4, 13.2, 13.1, 6.2, 6.1, 6.3}},
                     {"Scales", 7, {1, 1, 1, 0.5, 0.5, 0.5}},
                     {"Staging", 6, {1.5, 1.4, 1.2, 0.9, 0.9, 1}},
                     {"Planned", -1, {45, 45, 45, 50, 50, 50}}},
                    {{"node-a", 3}, {"node-b", 3}});
    memory->setLimit(73.6, "budget 73.6");
    auto* memoryHeader = new PanelHeader(theme, "Memory");
    memoryHeader->setSubject("GiB");
    memoryHeader->setLegend(memory->legend());
    left->addWidget(memoryHeader);
    left->addWidget(memory);
    row->addLayout(left);
    auto* right = new QVBoxLayout;
    auto* latency = new MetricPlot(theme, XAxis::Time);
    latency->setWindow(120);
    latency->setNow(10000);
    const int a = latency->addLine({"ITL", 1, LineStyle::Solid, true, true});
    const int b = latency->addLine({"step", 2});
    QVector<double> x;
    QVector<double> y;
    QVector<double> z;
    for (int i = 0; i < 120; ++i) {
        x << 9880 + i;
        y << 63 + 9 * std::sin(i * 0.4) + 4 * std::sin(i * 1.7);
        z << 130 + 12 * std::sin(i * 0.23);
    }
    latency->setLine(a, x, y);
    latency->setLine(b, x, z);
    latency->addMarker(9900, "Load");
    auto* latencyHeader = new PanelHeader(theme, "Latency");
    latencyHeader->setSubject("ms");
    latencyHeader->setLegend(latency->legend());
    right->addWidget(latencyHeader);
    right->addWidget(latency);
    row->addLayout(right);
    return row;
}

QWidget* ledger(const Theme& theme) {
    auto* bar = new LedgerBar(theme);
    bar->setFixedWidth(210);
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    bar->setLedger({{{LedgerPart::Weights, 17 * kGiB},
                     {LedgerPart::Scales, 2 * kGiB},
                     {LedgerPart::Kv, 36 * kGiB},
                     {LedgerPart::Activations, 3 * kGiB},
                     {LedgerPart::Communication, kGiB},
                     {LedgerPart::Context, kGiB},
                     {LedgerPart::Staging, kGiB}},
                    80 * kGiB,
                    73 * kGiB});
    bar->setCaption("61.2 of 73.6 GiB");
    return bar;
}

QWidget* values(const Theme& theme) {
    auto* card = new Card(theme);
    card->setFixedWidth(210);
    auto* list = new KeyValueList(theme, card);
    list->setRows(
        {{"Rank", "r21, node-c"}, {"Packed", "21.0 MiB"}, {"Signal", "7, SIGBUS", State::Failed}});
    auto* column = new QVBoxLayout(card);
    column->addWidget(list);
    return card;
}

QWidget* tokens(const Theme& theme) {
    auto* text = new TokenText(theme);
    text->setTokens({{"A", 0.99},
                     {" green", 0.95},
                     {" triangle", 0.97},
                     {",", 1},
                     {" a", 0.8},
                     {" red", 0.95},
                     {" ball", 0.52},
                     {",", 1},
                     {" a", 0.91},
                     {" blue", 0.93},
                     {" box", 0.7},
                     {" and", 0.99},
                     {" a", 0.99},
                     {" tall", 0.2},
                     {" block", 0.8}});
    return text;
}

QWidget* empty(const Theme& theme) {
    auto* state = new EmptyState(theme, "spark");
    state->setTitle("The model answers here once Load has passed");
    state->setBody("About 3 min 17 s from now. Until then you can prepare what to ask first.");
    state->addHint("image", "Drop or paste an image: you will see how many tokens it becomes.");
    state->addButton("Choose first cases");
    state->addButton("Show prompt template", Button::Kind::Quiet);
    return state;
}

}  // namespace

QWidget* makeGallery(const Theme& theme, const QString& title) {
    auto* sheet = new QWidget;
    sheet->setFixedWidth(860);
    sheet->setAutoFillBackground(true);
    auto* head = new TextLabel(theme, TextRole::Clock);
    head->setText(title);
    auto* whole = new QVBoxLayout(sheet);
    whole->setContentsMargins(20, 16, 20, 16);
    whole->addWidget(head);
    whole->addWidget(new Swatches(theme, sheet));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(20);
    auto* left = new QVBoxLayout;
    left->addWidget(caption(theme, "Stage rail item, six states"));
    left->addWidget(rail(theme));
    left->addWidget(caption(theme, "Key–value list"));
    left->addWidget(values(theme));
    left->addWidget(caption(theme, "Ledger bar"));
    left->addWidget(ledger(theme));
    left->addStretch(1);
    columns->addLayout(left);
    auto* right = new QVBoxLayout;
    right->addWidget(
        caption(theme, "Buttons: primary, normal, pressed, disabled, danger, quiet, menu"));
    right->addLayout(buttons(theme));
    right->addWidget(caption(theme, "Segmented, chip, badge, field"));
    right->addLayout(choices(theme));
    right->addWidget(caption(theme, "Strips: error, warning, passed, running, large"));
    right->addLayout(strips(theme));
    right->addWidget(caption(theme, "Table: header, row, selected"));
    right->addWidget(table(theme));
    right->addWidget(caption(theme, "What-if row; tokens"));
    auto* whatIf = new WhatIfRow(theme, "TP");
    whatIf->setValues({1, 2, 3, 4, 9}, {1, 3, 9});
    whatIf->setValue(2);
    right->addWidget(whatIf);
    right->addWidget(tokens(theme));
    right->addStretch(1);
    columns->addLayout(right, 1);
    whole->addLayout(columns);
    whole->addLayout(plots(theme));
    whole->addWidget(empty(theme));
    return sheet;
}

}  // namespace fl::test
