// SPDX-License-Identifier: GPL-3.0-or-later
// Where the panels are: the big ones in tabs in the middle; rail, charts, findings, log and chat
// in docks around them, which the user moves, floats, stacks and closes. Their places are saved
// and restored.
#pragma once

#include <vector>

#include <QByteArray>
#include <QMainWindow>

#include "ui/panels/panel.h"

class QAction;

namespace fl::widgets {
class MessageStrip;
class PageLayout;
class TabStrip;
}  // namespace fl::widgets

namespace fl::shell {

class Dock;
class StageRail;

class Workspace : public QMainWindow {
    Q_OBJECT

public:
    Workspace(const panels::PanelContext& context,
              const std::vector<panels::PanelEntry>& entries,
              StageRail* rail,
              QWidget* startPage,
              QWidget* parent = nullptr);

    const std::vector<panels::Panel*>& panels() const { return panels_; }
    panels::Panel* panel(const QString& id) const;  // nullptr: no such panel
    // The one tab that is open.
    QString openPanel() const;
    // Brings a panel to the front, wherever it is, and lets it reveal `what`.
    void showPanel(const QString& id, const QString& what = {});
    // "Show topology" and so on, with Ctrl+1 … 9.
    const std::vector<QAction*>& panelActions() const { return panelActions_; }
    // "Memory" and so on, checkable: closes a dock and brings it back.
    std::vector<QAction*> viewActions() const;
    // "Close the Memory dock" and so on.
    std::vector<QAction*> closeActions() const;
    Dock* dock(const QString& id) const;  // nullptr: no dock of that name
    // Above the open tab's panel: what failed, and its remedy. Large above Topology, which shows
    // the place; one line above the others, which need their height.
    widgets::MessageStrip& strip();

    // Until a checkpoint is open there is the first screen, and of the docks only the rail.
    void showStart(bool start);
    bool isStarting() const { return starting_; }
    // The right dock becomes a tab of the middle, or comes back.
    void setRightFolded(bool folded);
    bool isRightFolded() const { return rightFolded_; }
    // Gives the height of the charts to the big panel: a dead rank is looked for in Topology.
    void setChartsHidden(bool hidden);
    // The rail shows icons and durations only.
    void setRailNarrow(bool narrow);

    QByteArray saveLayout() const;
    bool restoreLayout(const QByteArray& state);
    void restoreDefault();

Q_SIGNALS:
    void panelOpened(const QString& id);
    void actionRequested(const QString& name);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build(QWidget* startPage);
    void addPanels(const panels::PanelContext& context,
                   const std::vector<panels::PanelEntry>& entries);
    void addPanelAction(panels::Panel& panel);
    void addTab(panels::Panel& panel);
    void addDock(const QString& id, QWidget* content, widgets::PanelHeader* header);
    void placeDocks();
    void sizeDocks();
    void foldDocks();
    void setBadge(panels::Panel& panel, int count, widgets::State state);
    panels::Panel* placed(panels::PanelPlace place) const;
    Dock* dockOf(panels::PanelPlace place) const;

    const widgets::Theme& theme_;
    StageRail* rail_;
    std::vector<panels::Panel*> panels_;
    std::vector<QAction*> panelActions_;
    std::vector<panels::Panel*> tabPanels_;
    std::vector<Dock*> docks_;
    widgets::PageLayout* pages_;
    QWidget* middle_;
    widgets::TabStrip* tabs_;
    widgets::MessageStrip* largeStrip_;
    widgets::MessageStrip* lineStrip_;
    widgets::PageLayout* stack_;
    bool starting_ = true;
    bool rightFolded_ = false;
    bool chartsHidden_ = false;
    QByteArray divided_;  // how, while the first screen hides the docks
    bool sized_ = false;
};

}  // namespace fl::shell
