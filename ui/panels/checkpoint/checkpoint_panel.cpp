// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/checkpoint/checkpoint_panel.h"

#include <QAction>
#include <QBoxLayout>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeView>
#include <QUrl>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/checkpoint/contract_row.h"
#include "ui/panels/checkpoint/recipe_writer.h"
#include "ui/panels/checkpoint/shard_cells.h"
#include "ui/panels/checkpoint/tensor_delegate.h"
#include "ui/panels/checkpoint/tensor_detail.h"
#include "ui/panels/checkpoint/tensor_tree.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"
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
constexpr int kDetailWidth = 280;
// A narrower panel has no room for the detail beside the list.
constexpr int kDetailFrom = 620;
constexpr int kAllColumnsFrom = 760;
constexpr std::pair<int, int> kColumnWidths[] = {{TensorTreeModel::TypeColumn, 84},
                                                 {TensorTreeModel::ShapeColumn, 132},
                                                 {TensorTreeModel::TensorsColumn, 84},
                                                 {TensorTreeModel::BytesColumn, 92},
                                                 {TensorTreeModel::ShardColumn, 68}};

}  // namespace

CheckpointPanel::CheckpointPanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      client_(context.client),
      refresher_(new widgets::Refresher(this, [this] { refreshLegend(); })) {
    typing_.setSingleShot(true);
    typing_.setInterval(kTypingMilliseconds);
    connect(&typing_, &QTimer::timeout, this, [this] { search(search_->text()); });
    buildUi();
    buildRecipeWriter();
    connectModels();
    refresh();
}

void CheckpointPanel::buildUi() {
    auto* full = new QWidget(this);
    auto* row = new QHBoxLayout(full);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(buildList(), 1);
    row->addWidget(buildDetail());
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

QWidget* CheckpointPanel::buildList() {
    auto* list = new QWidget(this);
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    shardsHeader_ = new widgets::PanelHeader(theme_, tr("Shards"), list);
    column->addWidget(shardsHeader_);
    shards_ = new ShardCells(theme_, &models_.shards, list);
    connect(shards_, &ShardCells::hovered, this, &CheckpointPanel::hoverShard);
    column->addWidget(shards_);
    contract_ = new ContractRow(theme_, list);
    connect(contract_, &ContractRow::contractChosen, this, &CheckpointPanel::showContract);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, list));
    column->addWidget(contract_);
    column->addWidget(new widgets::Hairline(theme_, Qt::Horizontal, list));
    column->addWidget(buildTensorBar());
    buildTree();
    column->addWidget(tree_, 1);
    return list;
}

QWidget* CheckpointPanel::buildDetail() {
    detailBox_ = new QWidget(this);
    auto* row = new QHBoxLayout(detailBox_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(new widgets::Hairline(theme_, Qt::Vertical, detailBox_));
    detail_ = new TensorDetail(theme_, client_, detailBox_);
    connect(detail_, &TensorDetail::closed, this, [this] { showDetail({}); });
    row->addWidget(detail_, 1);
    detailBox_->setFixedWidth(theme_.px(kDetailWidth));
    detailBox_->hide();
    return detailBox_;
}

void CheckpointPanel::buildRecipeWriter() {
    recipes_ = new RecipeWriter(client_, models_, this);
    auto* action = new QAction(tr("Write a recipe skeleton…"), this);
    connect(action, &QAction::triggered, recipes_, &RecipeWriter::ask);
    addAction(action);
    connect(recipes_, &RecipeWriter::written, this, &CheckpointPanel::refreshStrip);
    connect(recipes_, &RecipeWriter::failed, this, [this](const QString& reason) {
        strip().show({State::Failed, reason, {}, {}, {}});
    });
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
    for (const auto& [section, width] : kColumnWidths)
        header->resizeSection(section, theme_.px(width));
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (!index.isValid() || models_.tensors.hasChildren(index.siblingAtColumn(0)))
                    return;
                const QString name =
                    index.siblingAtColumn(0).data(TensorTreeModel::PathRole).toString();
                models_.selection.selectTensor(name);
                showDetail(name);
            });
}

void CheckpointPanel::connectModels() {
    connect(&models_.census, &models::CensusModel::changed, this, &CheckpointPanel::refresh);
    const auto later = [this] { refresher_->later(); };
    // Apart from progress, which would take a button away while it is pressed.
    auto* strips = new widgets::Refresher(this, [this] { refreshStrip(); });
    connect(&models_.findings, &models::FindingModel::changed, strips, &widgets::Refresher::later);
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
    showDetail({});
    refreshStrip();
    if (models_.census.empty()) {
        emit badgeChanged(0, State::Idle);
        return;
    }
    const protocol::Census& census = models_.census.census();
    if (path_ != qt(census.path))
        contractWanted_.clear();
    path_ = qt(census.path);
    contract_->setCensus(census, models_.census.parametersText());
    shardsHeader_->setSubject(models_.census.filesText());
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
    if (!contractWanted_.isEmpty() && model.contractState().isEmpty() && model.rowCount() > 0)
        models_.tensors.showContract(contractWanted_);
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
    contractWanted_ = state == models_.tensors.contractState() ? QString() : state;
    models_.tensors.showContract(contractWanted_);
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

// Empty: none.
void CheckpointPanel::showDetail(const QString& tensor) {
    const models::TensorTable& table = models_.tensors.table();
    const std::string name = tensor.toStdString();
    const std::size_t row = table.lowerBound(name);
    const bool known = !tensor.isEmpty() && row < table.size() && table.name(row) == name;
    if (known) {
        const auto& shards = models_.census.census().shards;
        const int shard = table.shard(row);
        const bool inFile = shard >= 0 && std::size_t(shard) < shards.size();
        detail_->setTensor({tensor, qt(table.dtype(row)), models::shapeText(table.shape(row)),
                            bytesText(table.bytes(row)),
                            inFile ? models::shown(shards[std::size_t(shard)].file) : tr("none"),
                            qt(table.kind(row)), qt(table.contract(row))});
    } else {
        detail_->setTensor({});
    }
    detailBox_->setVisible(known && width() >= theme_.px(kDetailFrom));
    fitColumns();
}

// What the detail says anyway makes room for names.
void CheckpointPanel::fitColumns() {
    const bool narrow =
        !detailBox_->isHidden() && width() - detailBox_->width() < theme_.px(kAllColumnsFrom);
    tree_->setColumnHidden(TensorTreeModel::TensorsColumn, narrow);
    tree_->setColumnHidden(TensorTreeModel::ShardColumn, narrow);
}

void CheckpointPanel::resizeEvent(QResizeEvent* event) {
    FramedPanel::resizeEvent(event);
    showDetail(detail_->tensor());
}

// Of what the panel itself can help with: a model that no recipe knows, and a recipe being written.
void CheckpointPanel::refreshStrip() {
    for (int row = 0; row < models_.findings.rowCount(); ++row) {
        if (models_.findings.finding(row).code == "architecture-unknown") {
            offerRecipe(models_.findings.finding(row));
            return;
        }
    }
    if (qt(models_.settings.recipe).endsWith(QLatin1String(".lua")) && !models_.census.empty())
        showOwnRecipe();
    else
        strip().clear();
}

void CheckpointPanel::offerRecipe(const fl::Finding& unknown) {
    strip().show({State::Failed,
                  tr("No recipe knows this architecture"),
                  models::shown(unknown.message),
                  {},
                  {}});
    connect(strip().addButton(tr("Write a recipe skeleton…"), Button::Kind::Normal),
            &Button::clicked, recipes_, &RecipeWriter::ask);
}

void CheckpointPanel::showOwnRecipe() {
    const QFileInfo file(qt(models_.settings.recipe));
    const protocol::RecipeDraft* draft = recipes_->draft();
    const QString detail =
        draft == nullptr
            ? file.filePath()
            : tr("%1, a copy of %2: it reads %3 tensor names and %4 keys; %5 names and %6 keys are "
                 "new to it.")
                  .arg(file.filePath(), qt(draft->nearest))
                  .arg(draft->tensors)
                  .arg(draft->keys)
                  .arg(draft->openTensors.size())
                  .arg(draft->openKeys.size());
    strip().show({State::Note,
                  tr("The contract runs again whenever %1 is saved").arg(file.fileName()),
                  detail,
                  {},
                  {}});
    // The engine may run on another machine.
    if (file.exists())
        connect(strip().addButton(tr("Open in editor"), Button::Kind::Quiet), &Button::clicked,
                this,
                [path = file.filePath()] { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
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
    std::vector<widgets::KeyValue> rows{
        {tr("Bytes"), text(ShardModel::BytesColumn), State::Idle},
        {tr("Tensors"), text(ShardModel::TensorsColumn), State::Idle}};
    if (const int files = shards_->filesPerCell(); files > 1) {
        const int first = row / files * files;
        const int last = std::min(first + files, models_.shards.rowCount());
        rows.push_back(
            {tr("Worst of files"), tr("%1 to %2").arg(first + 1).arg(last), State::Idle});
    }
    card_->setRows(rows);
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
