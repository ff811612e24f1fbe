// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_panel.h"

#include <algorithm>

#include <QBoxLayout>
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
#include "ui/widgets/hover_card.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::bytesText;
using models::qt;
using widgets::State;

namespace {

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
    hideCell();
    map_->select(-1, -1);
    if (empty) {
        refreshMap();
        return;
    }
    requests_->askCells();
    int cards = 0;
    if (!models_.topology.empty()) {
        for (const protocol::NodeInfo& node : models_.topology.topology().nodes)
            cards += int(node.devices.size());
    }
    whatIf_->setPlan(models_.plan.plan(), models_.settings,
                     std::max(cards, int(models_.plan.plan().ranks.size())));
    tensorsTitle_->setText(tr("Click a cell of the map to see its tensors."));
    refreshProposal();
    plans_->setSuggestedName(qt(models_.plan.plan().name));
}

void PlacementPanel::refreshMap() {
    card_->hide();  // the cell that it tells of may be another now
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
        refreshCell();
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
        hideCell();
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
    card_->hide();  // it may tell of a part that was here before
    slices_.show(slices);
    const QString where = tr("%1 on r%2").arg(rowName(cellRow_)).arg(rank);
    tensorsTitle_->setText(
        tr("%1: %2 slices, %3").arg(where).arg(slices_.rowCount()).arg(bytesText(slices_.bytes())));
    cell_->setCell(where, QStringLiteral("%1 · %2").arg(qt(info->node), qt(info->device)),
                   cellParts(slices));
    cell_->show();
    showList(split_->orientation() == Qt::Vertical);
    map_->setJoined(true);
    if (split_->orientation() == Qt::Horizontal)
        showSide(Side::Tensors);
}

// The same cell of the plan that is shown now, where that has one.
void PlacementPanel::refreshCell() {
    if (cellRank_ < 0)
        return;
    const PlacementGrid& grid = map_->grid();
    const auto column = std::find(grid.ranks.begin(), grid.ranks.end(), cellRank_);
    const int place = int(column - grid.ranks.begin());
    if (column != grid.ranks.end() && cellRow_ < grid.rows() && grid.at(place, cellRow_).present) {
        showCell(cellRank_, cellRow_);
        return;
    }
    hideCell();
    map_->select(-1, -1);
}

void PlacementPanel::hideCell() {
    cellRank_ = -1;
    cell_->hide();
    showList(true);
    map_->setJoined(false);
}

// Beside the map where there is room; in a low panel in the place of the list, which says less.
void PlacementPanel::placeCell() {
    const bool tall = split_->orientation() == Qt::Vertical;
    const bool shown = !cell_->isHidden();
    if (tall) {
        mapRow_->addWidget(cell_);
        cell_->setFixedWidth(theme_.px(kCellWidth));
    } else {
        tensorsColumn_->insertWidget(1, cell_, 1);
        cell_->setMinimumWidth(0);
        cell_->setMaximumWidth(QWIDGETSIZE_MAX);
    }
    cell_->setVisible(shown);
    showList(tall || !shown);
}

void PlacementPanel::showList(bool shown) {
    tensors_->setVisible(shown);
    tensorsTitle_->setVisible(shown);
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
        placeCell();
        const int wide = width() - whatIf_->width();
        split_->setSizes(wanted == Qt::Vertical
                             ? QList<int>{height() * 55 / 100, height() * 45 / 100}
                             : QList<int>{wide * 44 / 100, wide * 56 / 100});
    }
    showHeld();
    tensors_->setColumnHidden(models::SliceModel::TypeColumn,
                              side_->width() < theme_.px(kTypeColumnFrom));
}

}  // namespace fl::panels
