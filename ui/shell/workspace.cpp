// SPDX-License-Identifier: GPL-3.0-or-later
// Splitters and tabs.
#include "ui/shell/workspace.h"

#include <algorithm>

#include <QAction>
#include <QDataStream>
#include <QIODevice>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/widgets/icons.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/tab_strip.h"

namespace fl::shell {

using panels::Panel;
using panels::PanelPlace;
using widgets::Token;

namespace {
// Pixels at scale 1 in a window of 1440 × 900.
constexpr int kRightWidth = 356;
constexpr int kChartsHeight = 189;
constexpr int kBottomHeight = 200;
constexpr int kMostShortcuts = 9;
}  // namespace

Workspace::Workspace(const panels::PanelContext& context,
                     const std::vector<panels::PanelEntry>& entries,
                     QWidget* parent)
    : QWidget(parent),
      theme_(context.theme) {
    build();
    addPanels(context, entries);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < int(tabPanels_.size())) {
            stack_->setCurrentWidget(tabPanels_[std::size_t(index)]);
            Q_EMIT panelOpened(openPanel());
        }
    });
    charts_->setVisible(charts_->count() > 0);
    bottom_->setVisible(bottom_->count() > 0);
    right_->setVisible(rightPanel() != nullptr);
    if (!tabPanels_.empty()) {
        stack_->setCurrentWidget(tabPanels_.front());
    }
    connect(&theme_, &widgets::Theme::changed, this, qOverload<>(&QWidget::update));
}

QSplitter* Workspace::split(Qt::Orientation orientation) {
    auto* splitter = new QSplitter(orientation, this);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

void Workspace::build() {
    across_ = split(Qt::Horizontal);
    down_ = split(Qt::Vertical);
    charts_ = split(Qt::Horizontal);
    bottom_ = split(Qt::Horizontal);
    middle_ = new QWidget(this);
    tabs_ = new widgets::TabStrip(theme_, middle_);
    largeStrip_ = new widgets::MessageStrip(theme_, widgets::MessageStrip::Shape::Large, middle_);
    lineStrip_ = new widgets::MessageStrip(theme_, widgets::MessageStrip::Shape::Line, middle_);
    stack_ = new QStackedWidget(middle_);
    auto* middle = new QVBoxLayout(middle_);
    middle->setContentsMargins(0, 0, 0, 0);
    middle->setSpacing(0);
    middle->addWidget(tabs_);
    middle->addWidget(largeStrip_);
    middle->addWidget(lineStrip_);
    middle->addWidget(stack_, 1);
    down_->addWidget(middle_);
    down_->addWidget(charts_);
    down_->addWidget(bottom_);
    down_->setStretchFactor(0, 1);
    right_ = new QWidget(this);
    auto* right = new QVBoxLayout(right_);
    right->setContentsMargins(0, 0, 0, 0);
    across_->addWidget(down_);
    across_->addWidget(right_);
    across_->setStretchFactor(0, 1);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(across_);
}

void Workspace::addPanels(const panels::PanelContext& context,
                          const std::vector<panels::PanelEntry>& entries) {
    for (const panels::PanelEntry& entry : entries) {
        Panel* panel = entry.make(context, this);
        panels_.push_back(panel);
        addPanelAction(*panel);
        place(*panel);
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

void Workspace::place(Panel& panel) {
    panel.setAccessibleName(panel.title());
    switch (panel.place()) {
        case PanelPlace::Middle:
            addTab(panel);
            return;
        case PanelPlace::BelowLeft:
        case PanelPlace::BelowRight:
            charts_->addWidget(&panel);
            return;
        case PanelPlace::BottomLeft:
        case PanelPlace::BottomRight:
            bottom_->addWidget(&panel);
            return;
        case PanelPlace::Right:
            right_->layout()->addWidget(&panel);
            return;
    }
}

void Workspace::addTab(Panel& panel) {
    tabPanels_.push_back(&panel);
    stack_->addWidget(&panel);
    tabs_->addTab(panel.title());
}

Panel* Workspace::rightPanel() const {
    const auto found = std::find_if(panels_.begin(), panels_.end(), [](const Panel* panel) {
        return panel->place() == PanelPlace::Right;
    });
    return found == panels_.end() ? nullptr : *found;
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

void Workspace::setRightFolded(bool folded) {
    Panel* panel = rightPanel();
    if (!panel || folded == rightFolded_) {
        return;
    }
    rightFolded_ = folded;
    if (folded) {
        addTab(*panel);
    } else {
        const int index = int(tabPanels_.size()) - 1;
        tabPanels_.pop_back();
        tabs_->removeTab(index);
        stack_->removeWidget(panel);
        right_->layout()->addWidget(panel);
        panel->show();
    }
    right_->setVisible(!folded);
}

void Workspace::setRightHidden(bool hidden) {
    right_->setVisible(!hidden && !rightFolded_ && rightPanel());
}

void Workspace::setChartsHidden(bool hidden) {
    charts_->setVisible(!hidden && charts_->count() > 0);
}

QByteArray Workspace::saveState() const {
    QByteArray state;
    QDataStream out(&state, QIODevice::WriteOnly);
    out << across_->saveState() << down_->saveState() << charts_->saveState()
        << bottom_->saveState() << openPanel();
    return state;
}

bool Workspace::restoreState(const QByteArray& state) {
    QDataStream in(state);
    QByteArray parts[4];
    QString open;
    in >> parts[0] >> parts[1] >> parts[2] >> parts[3] >> open;
    if (state.isEmpty() || in.status() != QDataStream::Ok) {
        return false;
    }
    QSplitter* const splitters[] = {across_, down_, charts_, bottom_};
    for (int i = 0; i < 4; ++i) {
        if (!splitters[i]->restoreState(parts[i])) {
            return false;
        }
        splitters[i]->setHandleWidth(1);
    }
    sized_ = true;
    showPanel(open);
    return true;
}

void Workspace::restoreDefault() {
    const int right = theme_.px(kRightWidth);
    across_->setSizes({std::max(1, width() - right), right});
    const int charts = theme_.px(kChartsHeight);
    const int bottom = theme_.px(kBottomHeight);
    down_->setSizes({std::max(1, height() - charts - bottom), charts, bottom});
    for (QSplitter* splitter : {charts_, bottom_}) {
        splitter->setSizes(QList<int>(splitter->count(), 1000));
    }
    sized_ = true;
}

void Workspace::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!sized_) {
        restoreDefault();
    }
}

void Workspace::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), theme_.color(Token::Bg1));
}

}  // namespace fl::shell
