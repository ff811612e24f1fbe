// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/topology/topology_panel.h"

#include <algorithm>

#include <QAction>
#include <QBoxLayout>
#include <QFileDialog>
#include <QPainter>

#include "ui/models/models.h"
#include "ui/models/text.h"
#include "ui/panels/topology/rank_rows.h"
#include "ui/panels/topology/topology_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/hover_card.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/refresher.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/text_label.h"

namespace fl::panels {

using models::qt;
using widgets::Button;
using widgets::State;
using widgets::TextRole;
using widgets::Token;

namespace {

// A scene of one node may be drawn larger than one of many.
constexpr double kMostOfOneNode = 1.3;

// A short bar in the colour of the lit group, before the words about it.
class Swatch : public QWidget {
public:
    using QWidget::QWidget;
    void setColor(const QColor& color) {
        color_ = color;
        setVisible(color.isValid());
        update();
    }
    QSize sizeHint() const override { return {10, 16}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(QRect(0, height() / 2 - 2, 10, 4), color_);
    }

private:
    QColor color_;
};

// The ground below chips and measures is the canvas itself.
class CanvasBar : public QWidget {
public:
    CanvasBar(const widgets::Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), theme_.color(Token::Bg0));
    }

private:
    const widgets::Theme& theme_;
};

}  // namespace

TopologyPanel::TopologyPanel(const PanelContext& context, QWidget* parent)
    : FramedPanel(context.theme, parent),
      models_(context.models),
      scene_(new TopologyScene(theme_, models_, this)),
      refresher_(new widgets::Refresher(this, [this] { layoutStale_ ? rebuild() : refresh(); })) {
    buildUi();
    addActions();
    connectModels();
    rebuild();
}

void TopologyPanel::buildUi() {
    auto* full = new QWidget(this);
    auto* inside = new QVBoxLayout(full);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    inside->addWidget(buildBar());
    view_ = new TopologyView(theme_, scene_, full);
    connect(scene_, &TopologyScene::rebuilt, view_, &TopologyView::refit);
    view_->setAccessibleName(tr("Topology"));
    inside->addWidget(view_, 1);
    setPicture(full);
    auto* empty = addEmptyState(
        QStringLiteral("topology"), tr("No cluster yet"),
        tr("Machines, cards and links appear here once a checkpoint is opened and planned. After "
           "Launch each card shows what it holds and does."));
    connect(empty->addButton(tr("Open a checkpoint…")), &Button::clicked, this,
            [this] { emit actionRequested(QStringLiteral("open")); });
    card_ = new widgets::HoverCard(theme_, this);
    connect(view_, &TopologyView::rankClicked, this, &TopologyPanel::chooseRank);
    connect(view_, &TopologyView::rankHovered, this, &TopologyPanel::hover);
    connect(view_, &TopologyView::stepped, this, &TopologyPanel::step);
}

QWidget* TopologyPanel::buildBar() {
    auto* bar = new CanvasBar(theme_, this);
    bar->setFixedHeight(theme_.px(40));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme_.px(12), 0, theme_.px(12), 0);
    row->setSpacing(theme_.px(8));
    chipRow_ = new QHBoxLayout;
    chipRow_->setSpacing(theme_.px(6));
    row->addLayout(chipRow_);
    row->addSpacing(theme_.px(4));
    swatch_ = new Swatch(bar);
    row->addWidget(swatch_);
    sentence_ = new widgets::TextLabel(theme_, TextRole::Small, Token::T2, bar);
    sentence_->setElide(Qt::ElideRight);
    row->addWidget(sentence_, 1);
    measures_ = new widgets::SegmentedControl(theme_, bar);
    measures_->setAccessibleName(tr("What cards show"));
    measures_->setSegments({tr("State"), tr("Memory"), tr("Load"), tr("Temperature")});
    measures_->setCurrent(int(measure_));
    connect(measures_, &widgets::SegmentedControl::chosen, this, [this](int index) {
        measure_ = TopologyMeasure(index);
        refresh();
    });
    row->addWidget(measures_);
    auto* fit = new Button(theme_, {}, Button::Kind::Quiet, Button::Size::Compact, bar);
    fit->setIconName(QStringLiteral("fit"));
    fit->setToolTip(tr("Show all of it"));
    connect(fit, &Button::clicked, this, [this] { view_->fit(true); });
    row->addWidget(fit);
    return bar;
}

void TopologyPanel::addActions() {
    const auto add = [this](const QString& text, auto use) {
        auto* action = new QAction(text, this);
        connect(action, &QAction::triggered, this, use);
        addAction(action);
    };
    add(tr("Topology: show all of it"), [this] { view_->fit(true); });
    add(tr("Topology: zoom in"), [this] { view_->zoom(1.25); });
    add(tr("Topology: zoom out"), [this] { view_->zoom(0.8); });
    add(tr("Topology: export as PNG…"), [this] { askExport(QStringLiteral("png")); });
    add(tr("Topology: export as SVG…"), [this] { askExport(QStringLiteral("svg")); });
    setContextMenuPolicy(Qt::ActionsContextMenu);
}

void TopologyPanel::connectModels() {
    const auto later = [this] { refresher_->later(); };
    const auto layout = [this, later] {
        layoutStale_ = true;
        refreshBadge();
        later();
    };
    connect(&models_.topology, &models::TopologyModel::changed, this, layout);
    connect(&models_.plan, &models::PlanModel::changed, this, layout);
    connect(&models_.ranks, &models::RankModel::rankLost, this, [this, layout] {
        measure_ = TopologyMeasure::State;
        measures_->setCurrent(int(measure_));
        layout();
    });
    connect(&models_.ranks, &models::RankModel::rankChanged, this, later);
    connect(&models_.memory, &models::MemoryModel::changed, this, later);
    connect(&models_.selection, &models::Selection::rankSelected, this, later);
    connect(&models_.selection, &models::Selection::groupSelected, this,
            [this](const QString& name) {
                if (const protocol::GroupInfo* group = models_.topology.group(name))
                    lit_ = {qt(group->kind), name};
                rebuildChips();
                refresh();
            });
    connect(&models_, &models::Models::snapshotApplied, this, [this, layout] {
        const bool lost = models_.ranks.lost() != nullptr;
        measure_ = lost ? TopologyMeasure::State : TopologyMeasure::Memory;
        measures_->setCurrent(int(measure_));
        kindChosen_ = false;
        layout();
    });
    connect(&theme_, &widgets::Theme::changed, this, layout);
}

void TopologyPanel::rebuild() {
    layoutStale_ = false;
    const bool empty = models_.topology.empty();
    showPicture(!empty);
    rebuildChips();  // chooses what is lit
    view_->setMost(!empty && models_.topology.topology().nodes.size() == 1 ? kMostOfOneNode : 1);
    scene_->rebuild(lit_);
    refresh();
    refreshOrder();
    refreshBadge();
    view_->fit(false);
    if (empty)
        return;
    std::size_t cards = 0;
    for (const protocol::NodeInfo& node : models_.topology.topology().nodes)
        cards += node.devices.size();
    view_->setAccessibleDescription(tr("%1: %2 nodes, %3 cards. Arrow keys choose a card.")
                                        .arg(qt(models_.topology.topology().name))
                                        .arg(models_.topology.topology().nodes.size())
                                        .arg(cards));
}

void TopologyPanel::rebuildChips() {
    const std::vector<QString> kinds = models_.topology.groupKinds();
    if (std::find(kinds.begin(), kinds.end(), lit_.kind) == kinds.end())
        lit_ = {};
    // The first thing shown is the group of the first rank: what lit groups look like.
    // Not after a failure: nothing but the dead rank is to be seen first.
    const bool lost = models_.ranks.lost() != nullptr;
    if (lost && !kindChosen_)
        lit_ = {};
    if (!kindChosen_ && !lost && lit_.kind.isEmpty() && !kinds.empty()) {
        const protocol::GroupInfo* first = models_.topology.groupOf(0, kinds.front());
        lit_ = {kinds.front(), first != nullptr ? qt(first->name) : QString()};
    }
    for (widgets::Chip* chip : chips_)
        chip->deleteLater();
    chips_.clear();
    for (const QString& kind : kinds) {
        auto* chip = new widgets::Chip(theme_, kind.toUpper(), this);
        chip->setCheckable(true);
        chip->setChecked(kind == lit_.kind);
        chip->setAccessibleName(tr("Show %1 groups").arg(kind.toUpper()));
        connect(chip, &QAbstractButton::clicked, this, [this, kind] { chooseKind(kind); });
        chipRow_->addWidget(chip);
        chips_.push_back(chip);
    }
}

void TopologyPanel::chooseKind(const QString& kind) {
    kindChosen_ = true;
    if (lit_.kind == kind) {
        lit_ = {};
    } else {
        const int rank = std::max(0, models_.selection.rank());
        const protocol::GroupInfo* group = models_.topology.groupOf(rank, kind);
        lit_ = {kind, group != nullptr ? qt(group->name) : QString()};
    }
    models_.selection.selectGroup(lit_.name);
    rebuildChips();
    refresh();
}

void TopologyPanel::chooseRank(int rank) {
    models_.selection.selectRank(rank);
    if (!lit_.kind.isEmpty()) {
        const protocol::GroupInfo* group =
            rank < 0 ? nullptr : models_.topology.groupOf(rank, lit_.kind);
        lit_.name = group != nullptr ? qt(group->name) : QString();
        models_.selection.selectGroup(lit_.name);
    }
    refresh();
}

void TopologyPanel::step(int by) {
    int count = 0;
    for (const protocol::NodeInfo& node : models_.topology.topology().nodes) {
        for (const protocol::DeviceInfo& device : node.devices)
            count = std::max(count, device.rank + 1);
    }
    if (count == 0)
        return;
    const int rank = std::clamp(models_.selection.rank() + by, 0, count - 1);
    chooseRank(rank);
    QStringList words{QStringLiteral("r%1").arg(rank)};
    for (const widgets::KeyValue& row : rankRows(models_, rank))
        words << row.key + QLatin1Char(' ') + row.value;
    view_->setAccessibleDescription(words.join(QStringLiteral(", ")));
}

void TopologyPanel::refresh() {
    if (models_.topology.empty())
        return;
    scene_->refresh(measure_, lit_);
    const auto& ranks = models_.memory.ranks();
    const bool warm =
        std::any_of(ranks.begin(), ranks.end(), [](const auto& r) { return r.temperature > -999; });
    measures_->setBlocked(int(TopologyMeasure::Temperature),
                          warm ? QString() : tr("These cards report no temperature"));
    measures_->setBlocked(int(TopologyMeasure::Load),
                          models_.memory.measured() ? QString() : tr("Waits for Launch"));
    refreshSentence();
}

void TopologyPanel::refreshSentence() {
    const protocol::GroupInfo* group =
        lit_.name.isEmpty() ? nullptr : models_.topology.group(lit_.name);
    auto* swatch = static_cast<Swatch*>(swatch_);
    if (models_.ranks.lost() != nullptr) {
        swatch->setColor({});
        sentence_->setText(
            tr("state at the moment rank %1 was lost").arg(models_.ranks.lost()->rank));
        return;
    }
    swatch->setColor(group != nullptr ? scene_->colorOf(*group, lit_) : QColor());
    if (group != nullptr) {
        sentence_->setText(models_.topology.describe(*group));
        return;
    }
    int groups = 0;
    for (const protocol::GroupInfo& each : models_.topology.topology().groups)
        groups += qt(each.kind) == lit_.kind ? 1 : 0;
    const bool none = models_.topology.groupKinds().empty();
    sentence_->setText(!lit_.kind.isEmpty()
                           ? tr("%1 %2 groups, each in its colour; click a card for one of them")
                                 .arg(groups)
                                 .arg(lit_.kind.toUpper())
                       : none ? tr("one rank, no groups")
                              : QString());
}

// Groups that pay for slow links, the dearest named, and the order of ranks that pays less.
void TopologyPanel::refreshOrder() {
    const std::vector<const protocol::GroupInfo*> slow =
        models_.topology.empty() ? std::vector<const protocol::GroupInfo*>()
                                 : models_.topology.slowGroups();
    if (slow.empty() || models_.ranks.lost() != nullptr) {
        strip().clear();
        return;
    }
    const QString name = qt(slow.front()->name);
    const QString seconds = models::durationText(slow.front()->stepSeconds);
    const protocol::OrderInfo* better = models_.topology.betterOrder();
    const double gain = models_.topology.topology().gain;
    strip().show(
        {State::Warning,
         slow.size() == 1 ? tr("Group %1 crosses a slow link: %2 of a step").arg(name, seconds)
                          : tr("%1 groups cross slow links; %2 spends %3 of a step there")
                                .arg(slow.size())
                                .arg(name, seconds),
         better == nullptr ? tr("No order of these ranks is better: another cut may be.")
                           : tr("In the order %1 a step takes %2, %3 less.")
                                 .arg(qt(better->order), models::durationText(better->step),
                                      models::durationText(gain)),
         {},
         {}});
    connect(strip().addButton(tr("Show the group"), Button::Kind::Quiet), &Button::clicked, this,
            [this, name] {
                kindChosen_ = true;
                models_.selection.selectGroup(name);
            });
    if (better == nullptr)
        return;
    const QString order = qt(better->order);
    connect(strip().addButton(tr("Try this order"), Button::Kind::Normal), &Button::clicked, this,
            [this, order] {
                emit panelRequested(QStringLiteral("placement"), QStringLiteral("order ") + order);
            });
}

// Also while the panel is not seen: its tab is.
void TopologyPanel::refreshBadge() {
    if (models_.topology.empty()) {
        emit badgeChanged(0, State::Idle);
        return;
    }
    int slow = 0;
    for (const protocol::LinkInfo& link : models_.topology.topology().links)
        slow += models::TopologyModel::isSlow(link) ? 1 : 0;
    slow += models_.topology.slowGroups().empty() ? 0 : 1;
    if (models_.ranks.lost() != nullptr)
        emit badgeChanged(1, State::Failed);
    else
        emit badgeChanged(slow, slow > 0 ? State::Warning : State::Idle);
}

void TopologyPanel::hover(int rank, const QRect& box) {
    if (rank < 0) {
        card_->hide();
        return;
    }
    card_->setTitle(QStringLiteral("r%1").arg(rank));
    card_->setSubtitle(rankSubtitle(models_, rank));
    card_->setRows(rankRows(models_, rank));
    card_->showBeside(box);
}

void TopologyPanel::reveal(const QString& what) {
    if (what.startsWith(QLatin1String("rank ")))
        chooseRank(what.mid(5).toInt());
    else if (models_.topology.group(what) != nullptr)
        models_.selection.selectGroup(what);
}

bool TopologyPanel::exportTo(const QString& path) {
    return path.endsWith(QLatin1String(".svg")) ? scene_->writeSvg(path) : scene_->writePng(path);
}

void TopologyPanel::askExport(const QString& ending) {
    auto* dialog = new QFileDialog(this, tr("Export topology"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    dialog->selectFile(QStringLiteral("topology.") + ending);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (exportTo(path))
            return;
        strip().show(
            {State::Failed, tr("The topology could not be written to %1").arg(path), {}, {}, {}});
    });
    dialog->open();
}

void TopologyPanel::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    view_->fit(false);
}

}  // namespace fl::panels
