// SPDX-License-Identifier: GPL-3.0-or-later
// What the placement panel is made of.
#include <QAction>
#include <QBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include "ui/models/models.h"
#include "ui/panels/placement/cell_view.h"
#include "ui/panels/placement/compare_view.h"
#include "ui/panels/placement/ledger_stack.h"
#include "ui/panels/placement/placement_cards.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/panels/placement/placement_panel.h"
#include "ui/panels/placement/plan_requests.h"
#include "ui/panels/placement/plans_page.h"
#include "ui/panels/placement/what_if.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using widgets::Button;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kWhatIfWidth = 292;

}  // namespace

void PlacementPanel::buildUi() {
    auto* full = new QWidget(this);
    auto* row = new QHBoxLayout(full);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    split_ = new QSplitter(Qt::Horizontal, full);
    split_->setChildrenCollapsible(false);
    split_->setHandleWidth(1);
    split_->addWidget(buildMap());
    split_->addWidget(buildSide());
    split_->setStretchFactor(0, 1);
    row->addWidget(split_, 1);
    row->addWidget(new widgets::Hairline(theme_, Qt::Vertical, full));
    whatIf_ = new WhatIf(theme_, full);
    whatIf_->setFixedWidth(theme_.px(kWhatIfWidth));
    row->addWidget(whatIf_);
    setPicture(full);
    auto* empty = addEmptyState(
        QStringLiteral("placement"), tr("No plan yet"),
        tr("Once a checkpoint is inspected, this shows which rank holds which layer, what that "
           "takes of each card, and what other cuts would do."));
    connect(empty->addButton(tr("Open a checkpoint…")), &Button::clicked, this,
            [this] { emit actionRequested(QStringLiteral("open")); });
    card_ = new widgets::HoverCard(theme_, this);
}

QWidget* PlacementPanel::buildBar() {
    auto* bar = new QWidget(this);
    bar->setFixedHeight(theme_.px(40));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme_.px(12), 0, theme_.px(12), 0);
    row->setSpacing(theme_.px(8));
    colours_ = new widgets::SegmentedControl(theme_, bar);
    colours_->setAccessibleName(tr("Colour by"));
    colours_->setToolTip(tr("What the colours mean"));
    colours_->setSegments({tr("Bytes"), tr("Kind"), tr("Dtype")});
    connect(colours_, &widgets::SegmentedControl::chosen, this,
            [this](int index) { setColourBy(ColourBy(index)); });
    row->addWidget(colours_);
    auto* fit = new Button(theme_, {}, Button::Kind::Quiet, Button::Size::Compact, bar);
    fit->setIconName(QStringLiteral("fit"));
    fit->setToolTip(tr("Show the whole map (0)"));
    fit->setAccessibleName(tr("Show the whole map"));
    connect(fit, &Button::clicked, this, [this] { map_->fit(); });
    row->addWidget(fit);
    held_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, bar);
    held_->setElide(Qt::ElideRight);
    held_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(held_, 1);
    return bar;
}

QWidget* PlacementPanel::buildMap() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildBar());
    map_ = new PlacementMap(theme_, box);
    connect(map_, &PlacementMap::cellHovered, this, &PlacementPanel::hover);
    connect(map_, &PlacementMap::cellChosen, this, &PlacementPanel::choose);
    connect(map_, &PlacementMap::boundaryMoved, this, &PlacementPanel::moveBoundary);
    mapRow_ = new QHBoxLayout;
    mapRow_->setSpacing(0);
    mapRow_->addWidget(map_, 1);
    cell_ = new CellView(theme_, box);
    cell_->hide();
    connect(cell_, &CellView::partHovered, this, &PlacementPanel::hoverPart);
    connect(cell_, &CellView::partChosen, this, [this](int expert, int other) {
        models_.selection.selectTensor(partName(cell_->parts(), {expert, other}));
    });
    column->addLayout(mapRow_, 1);
    return box;
}

QWidget* PlacementPanel::buildSide() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget(box);
    bar->setFixedHeight(theme_.px(40));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme_.px(12), 0, theme_.px(12), 0);
    sides_ = new widgets::SegmentedControl(theme_, bar);
    sides_->setAccessibleName(tr("What stands beside the map"));
    sides_->setSegments({tr("Ledger"), tr("Plans"), tr("Tensors"), tr("Compare")});
    connect(sides_, &widgets::SegmentedControl::chosen, this,
            [this](int index) { showSide(Side(index)); });
    row->addWidget(sides_);
    row->addStretch(1);
    column->addWidget(bar);
    side_ = new QStackedWidget(box);
    ledger_ = new LedgerStack(theme_, side_);
    connect(ledger_, &LedgerStack::rankChosen, &models_.selection, &models::Selection::selectRank);
    auto* scroll = new QScrollArea(side_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(ledger_);
    side_->addWidget(scroll);
    side_->addWidget(buildPlans());
    side_->addWidget(buildTensors());
    compare_ = new CompareView(theme_, side_);
    connect(compare_, &CompareView::chosen, this, &PlacementPanel::refreshCompare);
    side_->addWidget(compare_);
    column->addWidget(side_, 1);
    box->setMinimumWidth(sides_->sizeHint().width() + theme_.px(24));
    return box;
}

QWidget* PlacementPanel::buildPlans() {
    plans_ = new PlansPage(theme_, models_.plan, models_.savedPlans, side_);
    connect(plans_, &PlansPage::searchRequested, this,
            [this] { requests_->search(whatIf_->settings()); });
    connect(plans_, &PlansPage::searchCancelled, requests_, &PlanRequests::cancelSearch);
    connect(plans_, &PlansPage::planChosen, this,
            [this](const protocol::AlternativeInfo& plan) { whatIf_->setPlanned(plan); });
    connect(plans_, &PlansPage::savedChosen, this,
            [this](const protocol::SavedPlan& plan) { whatIf_->setSettings(plan.settings); });
    connect(plans_, &PlansPage::saveRequested, this,
            [this](const QString& name) { requests_->save(name, whatIf_->settings()); });
    connect(plans_, &PlansPage::forgetRequested, requests_, &PlanRequests::forget);
    connect(plans_, &PlansPage::compareRequested, this, [this](const QString& name) {
        showSide(Side::Compare);
        compare_->choose(tr("In use"), name);
    });
    return plans_;
}

// The same from the command palette.
void PlacementPanel::addActions() {
    const auto add = [this](const QString& text, auto slot) {
        auto* action = new QAction(text, this);
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
    };
    add(tr("Show the whole placement map"), [this] { map_->fit(); });
    add(tr("Zoom into the placement map"), [this] { map_->zoomIn(); });
    add(tr("Zoom out of the placement map"), [this] { map_->zoomOut(); });
    add(tr("Compare two plans"), [this] { showSide(Side::Compare); });
    add(tr("Show saved plans"), [this] { showSide(Side::Plans); });
    add(tr("Search all plans"), [this] {
        showSide(Side::Plans);
        requests_->search(whatIf_->settings());
    });
}

QWidget* PlacementPanel::buildTensors() {
    auto* box = new QWidget(side_);
    auto* column = new QVBoxLayout(box);
    tensorsColumn_ = column;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    tensorsTitle_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, box);
    tensorsTitle_->setContentsMargins(theme_.px(12), 0, theme_.px(12), theme_.px(6));
    tensorsTitle_->setWordWrap(true);
    tensorsTitle_->setText(tr("Click a cell of the map to see its tensors."));
    column->addWidget(tensorsTitle_);
    tensors_ = new QTableView(box);
    tensors_->setAccessibleName(tr("Tensors of the chosen cell"));
    tensors_->setModel(&slices_);
    widgets::styleTable(theme_, tensors_);
    tensors_->horizontalHeader()->setStretchLastSection(false);
    tensors_->horizontalHeader()->setSectionResizeMode(models::SliceModel::TensorColumn,
                                                       QHeaderView::Stretch);
    for (const int section : {models::SliceModel::CutColumn, models::SliceModel::TypeColumn,
                              models::SliceModel::BytesColumn})
        tensors_->horizontalHeader()->setSectionResizeMode(section, QHeaderView::ResizeToContents);
    connect(tensors_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        emit panelRequested(QStringLiteral("checkpoint"),
                            index.data(models::SliceModel::TensorRole).toString());
    });
    column->addWidget(tensors_, 1);
    return box;
}

}  // namespace fl::panels
