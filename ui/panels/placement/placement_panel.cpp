// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_panel.h"

#include <algorithm>

#include <QAction>
#include <QBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/placement/cell_view.h"
#include "ui/panels/placement/compare_view.h"
#include "ui/panels/placement/ledger_stack.h"
#include "ui/panels/placement/placement_cards.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/panels/placement/plan_requests.h"
#include "ui/panels/placement/plans_page.h"
#include "ui/panels/placement/what_if.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/table_delegate.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

constexpr int kWhatIfWidth = 292;
constexpr int kCellWidth = 300;
// Taller than this, the ledger stands below the map instead of beside it.
constexpr int kTallFrom = 600;
constexpr int kWholeSentenceFrom = 440;
constexpr int kTypeColumnFrom = 420;

// The ledger of a plan that nobody runs.
std::vector<models::RankMemory> plannedMemory(const protocol::PlanInfo& plan) {
    std::vector<models::RankMemory> ranks;
    for (const protocol::RankInfo& rank : plan.ranks) {
        models::RankMemory memory;
        memory.rank = rank.rank;
        memory.node = qt(rank.node);
        memory.planned = rank.ledger;
        memory.budget = rank.capacity;
        ranks.push_back(std::move(memory));
    }
    return ranks;
}

// What is in no layer is before the first one or behind the last one.
int cellsRow(const PlacementGrid& grid, int row) {
    return std::clamp(grid.layerOf(row), -1, grid.layers) + 1;
}

}  // namespace

PlacementPanel::PlacementPanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      client_(context.client),
      requests_(new PlanRequests(context.client, context.models, this)),
      refresher_(new widgets::Refresher(this, [this] { refreshLedger(); })) {
    buildUi();
    addActions();
    connectModels();
    connectRequests();
    refresh();
}

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
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(map_, 1);
    cell_ = new CellView(theme_, box);
    cell_->setFixedWidth(theme_.px(kCellWidth));
    cell_->hide();
    connect(cell_, &CellView::partHovered, this, &PlacementPanel::hoverPart);
    connect(cell_, &CellView::partChosen, this, [this](int expert, int other) {
        models_.selection.selectTensor(partName(cell_->parts(), {expert, other}));
    });
    row->addWidget(cell_);
    column->addLayout(row, 1);
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
    box->setMinimumWidth(theme_.px(250));
    return box;
}

QWidget* PlacementPanel::buildPlans() {
    plans_ = new PlansPage(theme_, models_.plan, models_.savedPlans, side_);
    connect(plans_, &PlansPage::meshChosen, this, [this](const protocol::MeshInfo& mesh) {
        whatIf_->setNumber(QStringLiteral("tp"), mesh.tp);
        whatIf_->setNumber(QStringLiteral("pp"), mesh.pp);
        whatIf_->setNumber(QStringLiteral("ep"), mesh.ep);
        whatIf_->setNumber(QStringLiteral("dp"), mesh.dp);
    });
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
}

QWidget* PlacementPanel::buildTensors() {
    auto* box = new QWidget(side_);
    auto* column = new QVBoxLayout(box);
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

void PlacementPanel::connectModels() {
    connect(&models_.plan, &models::PlanModel::changed, this, &PlacementPanel::refresh);
    connect(&models_.plan, &models::PlanModel::proposalChanged, this,
            &PlacementPanel::refreshProposal);
    connect(&models_.plan, &models::PlanModel::cellsChanged, this, &PlacementPanel::refreshMap);
    connect(&models_.savedPlans, &QAbstractItemModel::modelReset, this, [this] {
        looked_.clear();
        refreshCompare();
    });
    connect(&models_.census, &models::CensusModel::changed, this, [this] {
        whatIf_->setModelContext(models_.census.empty() ? 0
                                                        : models_.census.census().contextLength);
    });
    connect(&models_.memory, &models::MemoryModel::changed, refresher_, &widgets::Refresher::later);
    connect(&models_.ranks, &models::RankModel::rankChanged, this, [this] {
        whatIf_->setRunning(models_.ranks.lost() != nullptr ? 0 : models_.ranks.rowCount());
    });
    connect(&models_.selection, &models::Selection::rankSelected, ledger_,
            &LedgerStack::setSelected);
    connect(&client_, &client::EngineClient::connected, requests_, &PlanRequests::listSaved);
}

void PlacementPanel::connectRequests() {
    connect(whatIf_, &WhatIf::proposed, requests_, &PlanRequests::propose);
    connect(whatIf_, &WhatIf::useRequested, this, &PlacementPanel::use);
    connect(whatIf_, &WhatIf::discarded, this, [this] {
        requests_->forgetProposal();
        models_.plan.discardProposal();
    });
    connect(requests_, &PlanRequests::refused, whatIf_, &WhatIf::setFailure);
    connect(requests_, &PlanRequests::failed, this, [this](const QString& reason) {
        strip().show({State::Warning, reason, {}, {}, {}});
    });
    connect(requests_, &PlanRequests::cellKnown, this, &PlacementPanel::takeCell);
    connect(requests_, &PlanRequests::looked, this,
            [this](const QString& name, const protocol::PlanInfo& plan) {
                looked_[name] = plan;
                refreshCompare();
            });
}

void PlacementPanel::refresh() {
    const bool empty = models_.plan.empty();
    showPicture(!empty);
    strip().clear();
    requests_->forgetProposal();
    slices_.reset();
    cellRank_ = -1;
    cell_->hide();
    map_->setJoined(false);
    map_->select(-1, -1);
    refreshMap();
    if (empty)
        return;
    requests_->askCells();
    int cards = 0;
    if (!models_.topology.empty()) {
        for (const protocol::NodeInfo& node : models_.topology.topology().nodes)
            cards += int(node.devices.size());
    }
    whatIf_->setPlan(models_.plan.plan(), models_.settings,
                     std::max(cards, int(models_.plan.plan().ranks.size())));
    tensorsTitle_->setText(tr("Click a cell of the map to see its tensors."));
    refreshLedger();
    refreshProposal();
    plans_->setSuggestedName(qt(models_.plan.plan().name));
    plans_->fitColumns();
}

void PlacementPanel::refreshMap() {
    map_->setGrid(models_.plan.empty()
                      ? PlacementGrid()
                      : placementGrid(models_.plan.shown(), models_.plan.cells(), by_),
                  by_);
    showHeld();
}

// The whole sentence where there is room for it, else its first half.
void PlacementPanel::showHeld() {
    if (models_.plan.empty())
        return;
    const protocol::PlanInfo& plan = models_.plan.shown();
    const QString held = bytesText(models::heldBytes(plan));
    const QString whole =
        tr("%1 held, %2 of it replicated").arg(held, bytesText(models::replicatedBytes(plan)));
    const bool room = map_->width() > theme_.px(kWholeSentenceFrom);
    held_->setText(room ? whole : tr("%1 held").arg(held));
    held_->setToolTip(whole);
}

// A proposal is planned, not measured.
void PlacementPanel::refreshLedger() {
    if (models_.plan.showsProposal())
        ledger_->setRanks(plannedMemory(models_.plan.shown()));
    else
        ledger_->setRanks(models_.memory.ranks());
}

void PlacementPanel::refreshProposal() {
    const protocol::PlanInfo* proposal = models_.plan.proposal();
    if (proposal != nullptr)
        whatIf_->setAnswer(proposal);
    if (!models_.plan.empty()) {
        refreshMap();
        refreshLedger();
        refreshCompare();
    }
    const auto count = proposal == nullptr ? 0 : int(proposal->violations.size());
    emit badgeChanged(count, proposal != nullptr && fl::hasErrors(proposal->violations)
                                 ? State::Failed
                                 : State::Warning);
}

// Null: it is not known, and has been asked for where it can be.
const protocol::PlanInfo* PlacementPanel::planNamed(const QString& name) {
    if (name == tr("In use"))
        return &models_.plan.plan();
    if (name == tr("Proposal"))
        return models_.plan.proposal();
    const auto known = looked_.find(name);
    if (known != looked_.end())
        return &known->second;
    const int row = models_.savedPlans.find(name);
    if (row >= 0)
        requests_->look(name, models_.savedPlans.plan(row).settings);
    return nullptr;
}

void PlacementPanel::refreshCompare() {
    if (models_.plan.empty())
        return;
    QStringList names{tr("In use")};
    if (models_.plan.proposal() != nullptr)
        names << tr("Proposal");
    for (int row = 0; row < models_.savedPlans.rowCount(); ++row)
        names << qt(models_.savedPlans.plan(row).name);
    compare_->setChoices(names);
    if (side_->currentIndex() != int(Side::Compare))
        return;
    const protocol::PlanInfo* first = planNamed(compare_->first());
    const protocol::PlanInfo* second = planNamed(compare_->second());
    if (names.size() < 2)
        compare_->showNothing(tr("Move a number, or save a plan: then there are two to compare."));
    else if (first == nullptr || second == nullptr)
        compare_->showNothing(tr("Asking…"));
    else
        compare_->show(*first, *second);
}

void PlacementPanel::setColourBy(ColourBy by) {
    by_ = by;
    colours_->setCurrent(int(by));
    refreshMap();
}

void PlacementPanel::showSide(Side side) {
    sides_->setCurrent(int(side));
    side_->setCurrentIndex(int(side));
    refreshCompare();
}

QString PlacementPanel::rowName(int row) const {
    const int layer = map_->grid().layerOf(row);
    return layer < 0                      ? tr("embedding")
           : layer >= map_->grid().layers ? tr("norm and head")
                                          : tr("layer %1").arg(layer);
}

void PlacementPanel::hover(int column, int row, const QRect& cell) {
    const models::PlanModel& plan = models_.plan;
    const protocol::RankInfo* info =
        column < 0 ? nullptr : plan.shownRank(map_->grid().ranks[std::size_t(column)]);
    if (info == nullptr) {
        card_->hide();
        return;
    }
    const models::PlacementCells* cells = plan.cells();
    const int place = cellsRow(map_->grid(), row);
    const bool known = cells != nullptr && info->rank < cells->ranks && place < cells->rows();
    fillCellCard(*card_, rowName(row), *info, map_->grid().at(column, row).bytes,
                 known ? partsText(*cells, info->rank, place) : QString());
    card_->showBeside(cell);
}

void PlacementPanel::hoverPart(int expert, int other, const QRect& box) {
    if (expert < 0 && other < 0) {
        card_->hide();
        return;
    }
    fillPartCard(*card_, cell_->parts(), {expert, other}, cellRank_, [this](const QString& name) {
        const QModelIndex known = models_.tensors.find(name);
        return known.siblingAtColumn(models::TensorTreeModel::ShardColumn).data().toString();
    });
    card_->showBeside(box);
}

void PlacementPanel::choose(int column, int row) {
    if (column < 0) {
        cell_->hide();
        map_->setJoined(false);
        return;
    }
    const int rank = map_->grid().ranks[std::size_t(column)];
    models_.selection.selectRank(rank);
    showCell(rank, row);
}

void PlacementPanel::showCell(int rank, int row) {
    cellRank_ = rank;
    cellRow_ = row;
    slices_.reset();
    if (!client_.isConnected()) {
        tensorsTitle_->setText(tr("Slices are known only while an engine is connected."));
        return;
    }
    tensorsTitle_->setText(tr("Asking…"));
    requests_->askCell(models_.plan.showsProposal(), rank, cellsRow(map_->grid(), row));
}

void PlacementPanel::takeCell(int rank, int row, const std::vector<protocol::SliceInfo>& slices) {
    const protocol::RankInfo* info = models_.plan.shownRank(rank);
    if (rank != cellRank_ || row != cellsRow(map_->grid(), cellRow_) || info == nullptr)
        return;
    slices_.show(slices);
    const QString where = tr("%1 on r%2").arg(rowName(cellRow_)).arg(rank);
    tensorsTitle_->setText(
        tr("%1: %2 slices, %3").arg(where).arg(slices_.rowCount()).arg(bytesText(slices_.bytes())));
    cell_->setCell(where, QStringLiteral("%1 · %2").arg(qt(info->node), qt(info->device)),
                   cellParts(slices));
    cell_->show();
    map_->setJoined(true);
}

void PlacementPanel::moveBoundary(int stage, int layer) {
    std::vector<int> ends;
    for (const protocol::RankInfo& rank : models_.plan.shown().ranks) {
        if (rank.pp >= int(ends.size()))
            ends.resize(std::size_t(rank.pp) + 1);
        ends[std::size_t(rank.pp)] = rank.endLayer;
    }
    ends[std::size_t(stage)] = layer;
    std::vector<int> layers;
    int begin = 0;
    for (const int end : ends) {
        layers.push_back(std::max(1, end - begin));
        begin = std::max(begin + 1, end);
    }
    whatIf_->setStageLayers(layers);
}

// With ranks that run, all of them start anew; else the plan stage alone does.
void PlacementPanel::use(const protocol::JobSettings& settings) {
    if (models_.ranks.rowCount() == 0) {
        requests_->commit(settings);
        emit planUsed(settings);
        return;
    }
    protocol::OpenRequest request;
    request.settings = settings;
    request.until = "load";
    client::Reply* reply = client_.send(protocol::method::kJobOpen, request);
    connect(reply, &client::Reply::failed, this, [this](const fl::Error& error) {
        strip().show(
            {State::Failed, tr("The plan was not taken: %1").arg(qt(error.message)), {}, {}, {}});
    });
    emit planUsed(settings);
}

void PlacementPanel::reveal(const QString& what) {
    if (what.startsWith(QLatin1String("rank ")))
        models_.selection.selectRank(what.mid(5).toInt());
    else if (what.startsWith(QLatin1String("order ")))
        whatIf_->setOrder(what.mid(6));
}

void PlacementPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    const Qt::Orientation wanted = height() > theme_.px(kTallFrom) ? Qt::Vertical : Qt::Horizontal;
    if (split_->orientation() != wanted || !sized_) {
        sized_ = true;
        split_->setOrientation(wanted);
        const int wide = width() - theme_.px(kWhatIfWidth);
        split_->setSizes(wanted == Qt::Vertical
                             ? QList<int>{height() * 55 / 100, height() * 45 / 100}
                             : QList<int>{wide * 44 / 100, wide * 56 / 100});
    }
    showHeld();
    tensors_->setColumnHidden(models::SliceModel::TypeColumn,
                              side_->width() < theme_.px(kTypeColumnFrom));
}

}  // namespace fl::panels
