// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/placement/placement_panel.h"

#include <algorithm>

#include <QBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>

#include "ui/client/engine_client.h"
#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/placement/ledger_stack.h"
#include "ui/panels/placement/placement_map.h"
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
// Taller than this, the ledger stands below the map instead of beside it.
constexpr int kTallFrom = 600;
constexpr int kWholeSentenceFrom = 440;
constexpr int kTypeColumnFrom = 420;

}  // namespace

PlacementPanel::PlacementPanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      client_(context.client),
      refresher_(new widgets::Refresher(this, [this] { refreshLedger(); })) {
    buildUi();
    connectModels();
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
    column->addWidget(map_, 1);
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
    sides_->setSegments({tr("Ledger"), tr("Plans"), tr("Tensors")});
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
    column->addWidget(side_, 1);
    box->setMinimumWidth(theme_.px(250));
    return box;
}

QWidget* PlacementPanel::buildPlans() {
    plans_ = new QTableView(side_);
    plans_->setAccessibleName(tr("Nearest legal plans"));
    plans_->setModel(&models_.plan);
    widgets::styleTable(theme_, plans_);
    plans_->setSelectionMode(QAbstractItemView::SingleSelection);
    // One click tries a plan; nothing happens to the ranks.
    connect(plans_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        const protocol::MeshInfo mesh =
            models_.plan.plan().alternatives[std::size_t(index.row())].mesh;
        whatIf_->setNumber(QStringLiteral("tp"), mesh.tp);
        whatIf_->setNumber(QStringLiteral("pp"), mesh.pp);
        whatIf_->setNumber(QStringLiteral("ep"), mesh.ep);
        whatIf_->setNumber(QStringLiteral("dp"), mesh.dp);
    });
    return plans_;
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
    connect(&models_.plan, &models::PlanModel::slicesChanged, this, [this](int rank) {
        if (by_ != ColourBy::Bytes)
            map_->setGrid(placementGrid(models_.plan, by_), by_);
        if (rank == cellRank_)
            showCellRows();
    });
    connect(&models_.memory, &models::MemoryModel::changed, refresher_, &widgets::Refresher::later);
    connect(&models_.ranks, &models::RankModel::rankChanged, this, [this] {
        whatIf_->setRunning(models_.ranks.lost() != nullptr ? 0 : models_.ranks.rowCount());
    });
    connect(&models_.selection, &models::Selection::rankSelected, ledger_,
            &LedgerStack::setSelected);
    connect(whatIf_, &WhatIf::proposed, this, &PlacementPanel::propose);
    connect(whatIf_, &WhatIf::useRequested, this, &PlacementPanel::use);
    connect(whatIf_, &WhatIf::discarded, this, [this] { models_.plan.discardProposal(); });
}

void PlacementPanel::refresh() {
    const bool empty = models_.plan.empty();
    showPicture(!empty);
    slices_.reset();
    cellRank_ = -1;
    map_->setGrid(placementGrid(models_.plan, by_), by_);
    map_->select(-1, -1);
    if (empty)
        return;
    int cards = 0;
    if (!models_.topology.empty()) {
        for (const protocol::NodeInfo& node : models_.topology.topology().nodes)
            cards += int(node.devices.size());
    }
    whatIf_->setPlan(models_.plan.plan(), models_.settings,
                     std::max(cards, int(models_.plan.plan().ranks.size())));
    held_->setText(
        tr("%1 held, %2 of it replicated")
            .arg(bytesText(models_.plan.heldBytes()), bytesText(models_.plan.replicatedBytes())));
    tensorsTitle_->setText(tr("Click a cell of the map to see its tensors."));
    if (by_ != ColourBy::Bytes)
        setColourBy(by_);
    refreshLedger();
    refreshProposal();
    plans_->resizeColumnsToContents();
}

// The whole sentence where there is room for it, else its first half.
void PlacementPanel::showHeld() {
    if (models_.plan.empty())
        return;
    const QString held = bytesText(models_.plan.heldBytes());
    const QString whole =
        tr("%1 held, %2 of it replicated").arg(held, bytesText(models_.plan.replicatedBytes()));
    const bool room = map_->width() > theme_.px(kWholeSentenceFrom);
    held_->setText(room ? whole : tr("%1 held").arg(held));
    held_->setToolTip(whole);
}

void PlacementPanel::refreshLedger() {
    ledger_->setRanks(models_.memory.ranks());
}

void PlacementPanel::refreshProposal() {
    const protocol::PlanInfo* proposal = models_.plan.proposal();
    if (proposal != nullptr)
        whatIf_->setAnswer(proposal);
    const auto count = proposal == nullptr ? 0 : int(proposal->violations.size());
    emit badgeChanged(count, proposal != nullptr && fl::hasErrors(proposal->violations)
                                 ? State::Failed
                                 : State::Warning);
}

void PlacementPanel::setColourBy(ColourBy by) {
    by_ = by;
    colours_->setCurrent(int(by));
    map_->setGrid(placementGrid(models_.plan, by), by);
    if (by == ColourBy::Bytes || models_.plan.empty())
        return;
    for (const protocol::RankInfo& rank : models_.plan.plan().ranks)
        askSlices(rank.rank);
}

void PlacementPanel::showSide(Side side) {
    sides_->setCurrent(int(side));
    side_->setCurrentIndex(int(side));
}

void PlacementPanel::askSlices(int rank) {
    if (models_.plan.slices(rank) != nullptr || !client_.isConnected())
        return;
    client::Reply* reply =
        client_.send(protocol::method::kPlanSlices, protocol::SlicesRequest{rank});
    reply->then<protocol::SlicesReply>(
        this,
        [this, rank](const protocol::SlicesReply& slices) {
            models_.plan.applySlices(rank, slices);
        },
        [this](const fl::Error& error) {
            strip().show({State::Warning,
                          tr("Slices are not known: %1").arg(qt(error.message)),
                          {},
                          {},
                          {}});
        });
}

void PlacementPanel::hover(int column, int row, const QRect& cell) {
    if (column < 0) {
        card_->hide();
        return;
    }
    const PlacementGrid& grid = map_->grid();
    const int layer = grid.layerOf(row);
    const int rank = grid.ranks[std::size_t(column)];
    const protocol::RankInfo* info = models_.plan.rank(rank);
    if (info == nullptr)
        return;
    card_->setTitle(layer < 0              ? tr("embedding")
                    : layer >= grid.layers ? tr("norm and head")
                                           : tr("layer %1").arg(layer));
    card_->setSubtitle(
        QStringLiteral("r%1 · %2 · %3").arg(rank).arg(qt(info->node), qt(info->device)));
    const std::int64_t bytes = grid.at(column, row).bytes;
    const double share = info->ledger.weights > 0
                             ? double(bytes) / double(info->ledger.weights + info->ledger.scales)
                             : 0;
    std::vector<widgets::KeyValue> rows = {
        {tr("Bytes"), bytesText(bytes), State::Idle},
        {tr("Of the rank's weights"), tr("%1 %").arg(share * 100, 0, 'f', 1), State::Idle},
        {tr("Place"), tr("PP %1, TP %2, DP %3").arg(info->pp).arg(info->tp).arg(info->dp),
         State::Idle}};
    const auto* slices = models_.plan.slices(rank);
    if (slices != nullptr) {
        const auto count = std::count_if(slices->begin(), slices->end(),
                                         [=](const auto& slice) { return slice.layer == layer; });
        rows.push_back({tr("Slices"), QString::number(count), State::Idle});
    } else {
        rows.push_back({tr("Slices"), tr("click to list"), State::Idle});
    }
    card_->setRows(std::move(rows));
    card_->showBeside(cell);
}

void PlacementPanel::choose(int column, int row) {
    if (column < 0)
        return;
    const PlacementGrid& grid = map_->grid();
    const int rank = grid.ranks[std::size_t(column)];
    const int layer = grid.layerOf(row);
    models_.selection.selectRank(rank);
    showCell(rank, layer >= grid.layers ? -1 : layer);
}

void PlacementPanel::showCell(int rank, int layer) {
    cellRank_ = rank;
    cellLayer_ = layer;
    showSide(Side::Tensors);
    slices_.reset();
    tensorsTitle_->setText(client_.isConnected()
                               ? tr("Asking…")
                               : tr("Slices are known only while an engine is connected."));
    showCellRows();
    askSlices(rank);
}

void PlacementPanel::showCellRows() {
    const auto* slices = models_.plan.slices(cellRank_);
    if (slices == nullptr)
        return;
    slices_.show(*slices, cellLayer_);
    const QString where = cellLayer_ < 0 ? tr("Embedding, norm and head on r%1").arg(cellRank_)
                                         : tr("Layer %1 on r%2").arg(cellLayer_).arg(cellRank_);
    tensorsTitle_->setText(
        tr("%1: %2 slices, %3").arg(where).arg(slices_.rowCount()).arg(bytesText(slices_.bytes())));
}

void PlacementPanel::moveBoundary(int stage, int layer) {
    std::vector<int> ends;
    for (const protocol::RankInfo& rank : models_.plan.plan().ranks) {
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

void PlacementPanel::propose(const protocol::JobSettings& settings) {
    if (!client_.isConnected()) {
        whatIf_->setFailure(tr("A plan can be tried only while an engine is connected."));
        return;
    }
    const int number = ++asked_;
    client::Reply* reply =
        client_.send(protocol::method::kPlanMake, protocol::PlanRequest{settings});
    reply->then<protocol::PlanInfo>(
        this,
        [this, number](const protocol::PlanInfo& plan) {
            if (number == asked_)
                models_.plan.propose(plan);
        },
        [this, number](const fl::Error& error) {
            if (number == asked_)
                whatIf_->setFailure(qt(error.message));
        });
}

void PlacementPanel::use(const protocol::JobSettings& settings) {
    protocol::OpenRequest request;
    request.settings = settings;
    request.until = models_.ranks.rowCount() > 0 ? "load" : "plan";
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
