// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/checkpoint_panel.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeView>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/checkpoint/contract_row.h"
#include "ui/panels/checkpoint/shard_cells.h"
#include "ui/panels/checkpoint/tensor_delegate.h"
#include "ui/panels/checkpoint/tensor_tree.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::bytesText;
using models::countText;
using models::qt;
using models::ShardModel;
using models::TensorTreeModel;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

// A search walks all names: it waits until typing pauses.
constexpr int kTypingMilliseconds = 120;
// Opening more than this by itself would bury the reader.
constexpr int kMostOpened = 8;

}  // namespace

CheckpointPanel::CheckpointPanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      refresher_(new widgets::Refresher(this, [this] { refreshLegend(); })) {
    typing_.setSingleShot(true);
    typing_.setInterval(kTypingMilliseconds);
    connect(&typing_, &QTimer::timeout, this, [this] { search(search_->text()); });
    buildUi();
    connectModels();
    refresh();
}

void CheckpointPanel::buildUi() {
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    shardsHeader_ = new widgets::PanelHeader(theme_, tr("Shards"), full);
    column->addWidget(shardsHeader_);
    shards_ = new ShardCells(theme_, &models_.shards, full);
    connect(shards_, &ShardCells::hovered, this, &CheckpointPanel::hoverShard);
    column->addWidget(shards_);
    contract_ = new ContractRow(theme_, full);
    connect(contract_, &ContractRow::contractChosen, this, &CheckpointPanel::showContract);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, full));
    column->addWidget(contract_);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, full));
    column->addWidget(buildTensorBar());
    buildTree();
    column->addWidget(tree_, 1);
    setPicture(full);
    auto* empty = addEmptyState(
        QStringLiteral("checkpoint"), tr("No checkpoint open"),
        tr("Its files, its tensors and whether they are what the recipe expects are shown here. "
           "Nothing is loaded for that."));
    connect(empty->addButton(tr("Open a checkpoint…")), &Button::clicked, this,
            [this] { emit actionRequested(QStringLiteral("open")); });
    connect(empty->addButton(tr("Try the demo model")), &Button::clicked, this,
            [this] { emit actionRequested(QStringLiteral("demo")); });
    card_ = new widgets::HoverCard(theme_, this);
}

QWidget* CheckpointPanel::buildTensorBar() {
    auto* header = new widgets::PanelHeader(theme_, tr("Tensors"), this);
    search_ = new QLineEdit(header);
    search_->setPlaceholderText(tr("Search names"));
    search_->setAccessibleName(tr("Search tensors"));
    search_->setFixedWidth(theme_.px(210));
    search_->addAction(widgets::icon(theme_, QStringLiteral("search"), Token::T3),
                       QLineEdit::LeadingPosition);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
    connect(search_, &QLineEdit::returnPressed, this, [this] { step(1); });
    header->addLeft(search_);
    hits_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T3, header);
    header->addLeft(hits_);
    types_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T3, header);
    header->addRight(types_);
    return header;
}

void CheckpointPanel::buildTree() {
    tree_ = new TensorTree(theme_, this);
    tree_->setAccessibleName(tr("Tensors of the checkpoint"));
    tree_->setModel(&models_.tensors);
    widgets::styleTree(theme_, tree_);
    tree_->setItemDelegate(new TensorDelegate(theme_, models_.tensors, tree_));
    tree_->setSelectionMode(QAbstractItemView::SingleSelection);
    tree_->setFrameShape(QFrame::NoFrame);
    QHeaderView* header = tree_->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setSectionResizeMode(TensorTreeModel::NameColumn, QHeaderView::Stretch);
    const std::pair<int, int> widths[] = {{TensorTreeModel::TypeColumn, 84},
                                          {TensorTreeModel::ShapeColumn, 132},
                                          {TensorTreeModel::TensorsColumn, 84},
                                          {TensorTreeModel::BytesColumn, 92},
                                          {TensorTreeModel::ShardColumn, 68}};
    for (const auto& [section, width] : widths)
        header->resizeSection(section, theme_.px(width));
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid() && !models_.tensors.hasChildren(index.siblingAtColumn(0)))
                    models_.selection.selectTensor(
                        index.siblingAtColumn(0).data(TensorTreeModel::PathRole).toString());
            });
}

void CheckpointPanel::connectModels() {
    connect(&models_.census, &models::CensusModel::changed, this, &CheckpointPanel::refresh);
    const auto later = [this] { refresher_->later(); };
    connect(&models_.shards, &QAbstractItemModel::dataChanged, this, later);
    connect(&models_.shards, &QAbstractItemModel::modelReset, this, later);
    connect(&models_.tensors, &QAbstractItemModel::modelReset, this,
            &CheckpointPanel::openFirstRows);
    connect(&models_.tensorLoader, &models::TensorLoader::progressed, this, later);
    connect(&models_.tensorLoader, &models::TensorLoader::failed, this,
            [this](const QString& reason) {
                hits_->setText(tr("The tensors are not known: %1").arg(reason));
            });
}

void CheckpointPanel::refresh() {
    showPicture(!models_.census.empty());
    if (models_.census.empty()) {
        emit badgeChanged(0, State::Idle);
        return;
    }
    const protocol::Census& census = models_.census.census();
    contract_->setCensus(census, models_.census.parametersText());
    shardsHeader_->setSubject(models_.census.filesText());
    refreshList();
    refreshLegend();
    const int bad = int(census.contract.missing + census.contract.unexpected);
    const int shards = models_.shards.countOf(QStringLiteral("warning")) +
                       models_.shards.countOf(QStringLiteral("broken"));
    emit badgeChanged(bad + shards,
                      census.verdict == "errors" || bad > 0 ? State::Failed : State::Warning);
}

void CheckpointPanel::refreshLegend() {
    if (models_.census.empty())
        return;
    refreshList();
    const auto count = [this](const char* state) {
        return models_.shards.countOf(QString::fromLatin1(state));
    };
    std::vector<widgets::LegendEntry> entries;
    const int checked = count("checked");
    if (checked > 0)
        entries.push_back({tr("checked %1").arg(checked), 3, false, false});
    if (count("read") + count("reading") > 0)
        entries.push_back({tr("read %1").arg(count("read")), 1, false, false});
    if (count("reading") > 0)
        entries.push_back({tr("reading %1").arg(count("reading")), 1, false, false});
    if (count("waiting") > 0)
        entries.push_back({tr("waiting %1").arg(count("waiting")), -1, false, false});
    const int warned = count("warning");
    if (warned > 0)
        entries.push_back(
            {warned == 1 ? tr("1 warning") : tr("%1 warnings").arg(warned), 6, false, false});
    if (count("broken") > 0)
        entries.push_back({tr("%1 broken").arg(count("broken")), 2, false, false});
    shardsHeader_->setLegend(entries);
}

// What the list below is: how far it has come, or whose tensors alone it shows.
void CheckpointPanel::refreshList() {
    const protocol::Census& census = models_.census.census();
    contract_->setChosen(models_.tensors.contractState());
    const models::TensorLoader& loader = models_.tensorLoader;
    qint64 distinct = 0;
    for (const protocol::Named& part : census.distinctLayers)
        distinct = part.name == "text" ? part.value : distinct;
    const QString kinds = distinct == 1
                              ? tr("%1 equal layers").arg(census.layers)
                              : tr("%1 layers in %2 kinds").arg(census.layers).arg(distinct);
    types_->setText(loader.loading() && loader.total() > 0
                        ? tr("%1 of %2 tensors listed")
                              .arg(countText(loader.received()), countText(loader.total()))
                        : tr("%1 tensors, %2").arg(countText(census.tensors), kinds));
}

// Rows with few children open by themselves, so that a small model is seen at once.
void CheckpointPanel::openFirstRows() {
    const TensorTreeModel& model = models_.tensors;
    for (int row = 0; row < model.rowCount(); ++row) {
        QModelIndex index = model.index(row, 0);
        while (index.isValid() && model.hasChildren(index) &&
               model.rowCount(index) <= kMostOpened) {
            tree_->expand(index);
            if (model.rowCount(index) > 1)
                break;
            index = model.index(0, 0, index);
        }
    }
    hit_ = 0;
    if (model.hitCount() > 0)
        showHit();
    else
        hits_->setText(model.words().empty() ? QString() : tr("no hit"));
    if (!models_.census.empty())
        refreshList();
}

void CheckpointPanel::search(const QString& words) {
    typing_.stop();
    if (search_->text() != words) {
        const QSignalBlocker quiet(search_);
        search_->setText(words);
    }
    models_.tensors.search(words);
}

// The same part again shows all of them.
void CheckpointPanel::showContract(const QString& state) {
    const QSignalBlocker quiet(search_);
    search_->clear();
    models_.tensors.showContract(state == models_.tensors.contractState() ? QString() : state);
}

void CheckpointPanel::step(int by) {
    if (typing_.isActive()) {
        search(search_->text());
        return;
    }
    const int count = models_.tensors.hitCount();
    if (count == 0)
        return;
    hit_ = (hit_ + by + count) % count;
    showHit();
}

void CheckpointPanel::showHit() {
    hits_->setText(tr("%1 of %2").arg(countText(hit_ + 1), countText(models_.tensors.hitCount())));
    show(models_.tensors.hit(hit_));
}

void CheckpointPanel::show(const QModelIndex& index) {
    if (!index.isValid())
        return;
    for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
        tree_->expand(up);
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

void CheckpointPanel::hoverShard(int row, const QRect& cell) {
    if (row < 0) {
        card_->hide();
        return;
    }
    const auto text = [&](int column) {
        return models_.shards.index(row, column).data().toString();
    };
    card_->setTitle(text(ShardModel::FileColumn));
    card_->setSubtitle(text(ShardModel::StateColumn));
    card_->setRows({{tr("Bytes"), text(ShardModel::BytesColumn), State::Idle},
                    {tr("Tensors"), text(ShardModel::TensorsColumn), State::Idle}});
    card_->showBeside(cell);
}

void CheckpointPanel::reveal(const QString& what) {
    const QModelIndex tensor = models_.tensors.find(what);
    if (tensor.isValid()) {
        show(tensor);
        return;
    }
    for (int row = 0; row < models_.shards.rowCount(); ++row) {
        if (models_.shards.index(row, ShardModel::FileColumn).data().toString() == what)
            shards_->select(row);
    }
}

bool CheckpointPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            step(key == Qt::Key_Down ? 1 : -1);
            return true;
        }
        if (key == Qt::Key_Escape && !search_->text().isEmpty()) {
            search({});
            return true;
        }
    }
    return Panel::eventFilter(watched, event);
}

}  // namespace fl::panels
