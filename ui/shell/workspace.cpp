// SPDX-License-Identifier: GPL-3.0-or-later
// Docks and tabs.
#include "ui/shell/workspace.h"

#include <algorithm>
#include <numeric>

#include <QAction>
#include <QDataStream>
#include <QIODevice>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/shell/dock.h"
#include "ui/shell/stage_rail.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/page_layout.h"
#include "ui/widgets/panel_header.h"
#include "ui/widgets/tab_strip.h"

namespace fl::shell {

using panels::Panel;
using panels::PanelPlace;

namespace {
// Pixels at scale 1 in a window of 1440 × 900.
constexpr int kRailWidth = 208;
constexpr int kNarrowRailWidth = 64;
constexpr int kLeastRailWidth = 150;
constexpr int kRightWidth = 356;
constexpr int kChartsHeight = 189;
constexpr int kBottomHeight = 200;
constexpr int kUsualHeight = 830;  // of what lies between tool bar and status bar
constexpr int kMostShortcuts = 9;
// Of the docks' places as Qt writes them.
constexpr int kStateVersion = 1;
const QString kRail = QStringLiteral("rail");
}  // namespace

Workspace::Workspace(const panels::PanelContext& context,
                     const std::vector<panels::PanelEntry>& entries,
                     StageRail* rail,
                     QWidget* startPage,
                     QWidget* parent)
    : QMainWindow(parent, Qt::Widget),
      theme_(context.theme),
      rail_(rail) {
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    for (const auto& [corner, area] : {std::pair{Qt::TopLeftCorner, Qt::LeftDockWidgetArea},
                                       {Qt::BottomLeftCorner, Qt::LeftDockWidgetArea},
                                       {Qt::TopRightCorner, Qt::RightDockWidgetArea},
                                       {Qt::BottomRightCorner, Qt::RightDockWidgetArea}}) {
        setCorner(corner, area);
    }
    build(startPage);
    rail_->setAccessibleName(tr("Bring-up"));
    addDock(kRail, rail_, rail_->header());
    addPanels(context, entries);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < int(tabPanels_.size())) {
            stack_->setCurrentWidget(tabPanels_[std::size_t(index)]);
            Q_EMIT panelOpened(openPanel());
        }
    });
    if (!tabPanels_.empty()) {
        stack_->setCurrentWidget(tabPanels_.front());
    }
    placeDocks();
    foldDocks();
}

void Workspace::build(QWidget* startPage) {
    middle_ = new QWidget(this);
    tabs_ = new widgets::TabStrip(theme_, middle_);
    largeStrip_ = new widgets::MessageStrip(theme_, widgets::MessageStrip::Shape::Large, middle_);
    lineStrip_ = new widgets::MessageStrip(theme_, widgets::MessageStrip::Shape::Line, middle_);
    stack_ = new widgets::PageLayout;
    auto* middle = new QVBoxLayout(middle_);
    middle->setContentsMargins(0, 0, 0, 0);
    middle->setSpacing(0);
    middle->addWidget(tabs_);
    middle->addWidget(largeStrip_);
    middle->addWidget(lineStrip_);
    middle->addLayout(stack_, 1);
    auto* central = new QWidget(this);
    pages_ = new widgets::PageLayout(central);
    pages_->addWidget(startPage);
    pages_->addWidget(middle_);
    setCentralWidget(central);
}

void Workspace::addPanels(const panels::PanelContext& context,
                          const std::vector<panels::PanelEntry>& entries) {
    for (const panels::PanelEntry& entry : entries) {
        Panel* panel = entry.make(context, this);
        panel->setAccessibleName(panel->title());
        panels_.push_back(panel);
        addPanelAction(*panel);
        if (panel->place() == PanelPlace::Middle) {
            addTab(*panel);
        } else {
            addDock(panel->id(), panel, panel->header());
        }
        connect(panel, &Panel::badgeChanged, this,
                [this, panel](int count, widgets::State state) { setBadge(*panel, count, state); });
        connect(panel, &Panel::panelRequested, this, &Workspace::showPanel);
        connect(panel, &Panel::actionRequested, this, &Workspace::actionRequested);
    }
}

void Workspace::addPanelAction(Panel& panel) {
    auto* action = new QAction(tr("Show %1").arg(panel.title()), this);
    action->setIcon(widgets::icon(theme_, panel.iconName()));
    const int number = int(panelActions_.size()) + 1;
    if (number <= kMostShortcuts) {
        action->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)));
    }
    const QString id = panel.id();
    connect(action, &QAction::triggered, this, [this, id] { showPanel(id); });
    addAction(action);
    panelActions_.push_back(action);
}

void Workspace::addTab(Panel& panel) {
    tabPanels_.push_back(&panel);
    stack_->addWidget(&panel);
    tabs_->addTab(panel.title());
}

void Workspace::addDock(const QString& id, QWidget* content, widgets::PanelHeader* header) {
    docks_.push_back(new Dock(theme_, id, content, header, this));
}

// The default: the rail at the left, the chat at the right, charts above findings and log.
void Workspace::placeDocks() {
    for (Dock* dock : docks_) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    addDockWidget(Qt::LeftDockWidgetArea, dock(kRail));
    if (Dock* right = dockOf(PanelPlace::Right)) {
        addDockWidget(Qt::RightDockWidgetArea, right);
    }
    const std::pair<PanelPlace, PanelPlace> rows[] = {
        {PanelPlace::BelowLeft, PanelPlace::BelowRight},
        {PanelPlace::BottomLeft, PanelPlace::BottomRight}};
    Dock* above = nullptr;
    for (const auto& [left, right] : rows) {
        Dock* first = dockOf(left);
        if (!first) {
            continue;
        }
        addDockWidget(Qt::BottomDockWidgetArea, first);
        if (above) {
            splitDockWidget(above, first, Qt::Vertical);
        }
        above = first;
    }
    for (const auto& [left, right] : rows) {
        if (dockOf(left) && dockOf(right)) {
            addDockWidget(Qt::BottomDockWidgetArea, dockOf(right));
            splitDockWidget(dockOf(left), dockOf(right), Qt::Horizontal);
        }
    }
}

void Workspace::sizeDocks() {
    sized_ = true;
    QList<QDockWidget*> wide{dock(kRail)};
    QList<int> widths{theme_.px(rail_->isNarrow() ? kNarrowRailWidth : kRailWidth)};
    if (Dock* right = dockOf(PanelPlace::Right)) {
        wide << right;
        widths << theme_.px(kRightWidth);
    }
    resizeDocks(wide, widths, Qt::Horizontal);
    // A smaller window has smaller docks, so that the big panel stays the big one.
    const double share = std::clamp(height() / double(theme_.px(kUsualHeight)), 0.7, 1.6);
    QList<QDockWidget*> high;
    QList<int> heights;
    QList<QDockWidget*> across;
    for (const auto& [place, height] : {std::pair{PanelPlace::BelowLeft, kChartsHeight},
                                        {PanelPlace::BelowRight, kChartsHeight},
                                        {PanelPlace::BottomLeft, kBottomHeight},
                                        {PanelPlace::BottomRight, kBottomHeight}}) {
        if (Dock* one = dockOf(place)) {
            high << one;
            heights << theme_.px(height * share);
            across << one;
        }
    }
    resizeDocks(high, heights, Qt::Vertical);
    const int half = (width() - std::accumulate(widths.begin(), widths.end(), 0)) / 2;
    resizeDocks(across, QList<int>(across.size(), half), Qt::Horizontal);
}

// Which docks are hidden for now, whatever the user wants of them.
void Workspace::foldDocks() {
    for (Dock* dock : docks_) {
        const auto found = std::find(panels_.begin(), panels_.end(), dock->content());
        const PanelPlace place = found == panels_.end() ? PanelPlace::Middle : (*found)->place();
        const bool chart = place == PanelPlace::BelowLeft || place == PanelPlace::BelowRight;
        dock->setFolded((starting_ && dock->id() != kRail) ||
                        (chart && chartsHidden_ && !dock->isFloating()));
    }
}

Panel* Workspace::placed(PanelPlace place) const {
    const auto found = std::find_if(panels_.begin(), panels_.end(), [place](const Panel* panel) {
        return panel->place() == place;
    });
    return found == panels_.end() ? nullptr : *found;
}

Dock* Workspace::dock(const QString& id) const {
    const auto found = std::find_if(docks_.begin(), docks_.end(),
                                    [&](const Dock* dock) { return dock->id() == id; });
    return found == docks_.end() ? nullptr : *found;
}

Dock* Workspace::dockOf(PanelPlace place) const {
    const Panel* panel = placed(place);
    return panel ? dock(panel->id()) : nullptr;
}

std::vector<QAction*> Workspace::viewActions() const {
    std::vector<QAction*> actions;
    for (const Dock* dock : docks_) {
        actions.push_back(dock->viewAction());
    }
    return actions;
}

std::vector<QAction*> Workspace::closeActions() const {
    std::vector<QAction*> actions;
    for (const Dock* dock : docks_) {
        actions.push_back(dock->toggleAction());
    }
    return actions;
}

Panel* Workspace::panel(const QString& id) const {
    const auto found = std::find_if(panels_.begin(), panels_.end(),
                                    [&](const Panel* panel) { return panel->id() == id; });
    return found == panels_.end() ? nullptr : *found;
}

widgets::MessageStrip& Workspace::strip() {
    const bool large = openPanel() == QStringLiteral("topology");
    (large ? lineStrip_ : largeStrip_)->clear();
    return large ? *largeStrip_ : *lineStrip_;
}

QString Workspace::openPanel() const {
    const int index = tabs_->currentIndex();
    return index < 0 || index >= int(tabPanels_.size()) ? QString()
                                                        : tabPanels_[std::size_t(index)]->id();
}

void Workspace::showPanel(const QString& id, const QString& what) {
    Panel* wanted = panel(id);
    if (!wanted) {
        return;
    }
    const auto tab = std::find(tabPanels_.begin(), tabPanels_.end(), wanted);
    if (tab != tabPanels_.end()) {
        tabs_->setCurrentIndex(int(tab - tabPanels_.begin()));
    } else {
        dock(id)->setWanted(true);
        dock(id)->raise();
        wanted->setFocus(Qt::OtherFocusReason);
        Q_EMIT panelOpened(id);
    }
    if (!what.isEmpty()) {
        wanted->reveal(what);
    }
}

void Workspace::setBadge(Panel& panel, int count, widgets::State state) {
    const auto tab = std::find(tabPanels_.begin(), tabPanels_.end(), &panel);
    if (tab != tabPanels_.end()) {
        tabs_->setBadge(int(tab - tabPanels_.begin()), count, state);
    }
}

void Workspace::showStart(bool start) {
    if (start == starting_ && pages_->currentIndex() == (start ? 0 : 1)) {
        return;
    }
    starting_ = start;
    // Qt forgets how docks that are hidden were divided.
    if (start) {
        divided_ = sized_ ? saveState(kStateVersion) : QByteArray();
    } else if (!divided_.isEmpty()) {
        restoreState(divided_, kStateVersion);
    }
    pages_->setCurrentIndex(start ? 0 : 1);
    foldDocks();
    if (!start && !sized_ && isVisible()) {
        // Once the docks have been laid out: only then is there something to be divided.
        QTimer::singleShot(0, this, &Workspace::sizeDocks);
    }
}

void Workspace::setRightFolded(bool folded) {
    Dock* right = dockOf(PanelPlace::Right);
    // One that stands elsewhere takes no width.
    const bool fold = folded && right && right->isWanted() && !right->isFloating();
    if (!right || fold == right->isReleased()) {
        rightFolded_ = right && right->isReleased();
        return;
    }
    rightFolded_ = fold;
    Panel* panel = placed(PanelPlace::Right);
    if (fold) {
        right->release();
        addTab(*panel);
        return;
    }
    const auto tab = std::find(tabPanels_.begin(), tabPanels_.end(), panel);
    tabs_->removeTab(int(tab - tabPanels_.begin()));
    tabPanels_.erase(tab);
    stack_->removeWidget(panel);
    right->takeBack();
}

void Workspace::setChartsHidden(bool hidden) {
    if (hidden != chartsHidden_) {
        chartsHidden_ = hidden;
        foldDocks();
    }
}

void Workspace::setRailNarrow(bool narrow) {
    if (narrow == rail_->isNarrow()) {
        return;
    }
    rail_->setNarrow(narrow);
    rail_->setMinimumWidth(theme_.px(narrow ? kNarrowRailWidth : kLeastRailWidth));
    rail_->setMaximumWidth(narrow ? theme_.px(kNarrowRailWidth) : QWIDGETSIZE_MAX);
    if (!narrow) {
        // Once the window has its new size: docks cannot grow into what is not there yet.
        QTimer::singleShot(0, this, [this] {
            resizeDocks({dock(kRail)}, {theme_.px(kRailWidth)}, Qt::Horizontal);
        });
    }
}

QByteArray Workspace::saveLayout() const {
    QStringList closed;
    for (const Dock* dock : docks_) {
        if (!dock->isWanted()) {
            closed << dock->id();
        }
    }
    QByteArray state;
    QDataStream out(&state, QIODevice::WriteOnly);
    out << saveState(kStateVersion) << closed << openPanel();
    return state;
}

bool Workspace::restoreLayout(const QByteArray& state) {
    QDataStream in(state);
    QByteArray places;
    QStringList closed;
    QString open;
    in >> places >> closed >> open;
    if (state.isEmpty() || in.status() != QDataStream::Ok || !restoreState(places, kStateVersion)) {
        return false;
    }
    for (Dock* dock : docks_) {
        dock->setWanted(!closed.contains(dock->id()));
    }
    foldDocks();
    sized_ = true;
    showPanel(open);
    return true;
}

void Workspace::restoreDefault() {
    const bool folded = rightFolded_;
    setRightFolded(false);
    placeDocks();
    for (Dock* dock : docks_) {
        dock->setWanted(true);
    }
    foldDocks();
    setRightFolded(folded);
    sizeDocks();
}

void Workspace::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!sized_ && !starting_) {
        sizeDocks();
    }
}

}  // namespace fl::shell
