// SPDX-License-Identifier: GPL-3.0-or-later
// Where the panels are: tabs in the middle, charts below, findings and log at the bottom, chat at
// the right. Every border can be dragged; the places are saved and restored.
#pragma once

#include <vector>

#include <QByteArray>
#include <QWidget>

#include "ui/panels/panel.h"

class QAction;
class QSplitter;
class QStackedWidget;

namespace fl::widgets {
class MessageStrip;
class TabStrip;
}  // namespace fl::widgets

namespace fl::shell {

class Workspace : public QWidget {
    Q_OBJECT

public:
    Workspace(const panels::PanelContext& context,
              const std::vector<panels::PanelEntry>& entries,
              QWidget* parent = nullptr);

    const std::vector<panels::Panel*>& panels() const { return panels_; }
    panels::Panel* panel(const QString& id) const;  // nullptr: no such panel
    // The one tab that is open.
    QString openPanel() const;
    // Brings a panel to the front, wherever it is, and lets it reveal `what`.
    void showPanel(const QString& id, const QString& what = {});
    // "Show topology" and so on, with Ctrl+1 … 9.
    const std::vector<QAction*>& panelActions() const { return panelActions_; }
    // Above the open tab's panel: what failed, and its remedy. Large above Topology, which shows
    // the place; one line above the others, which need their height.
    widgets::MessageStrip& strip();

    // The right dock becomes a tab of the middle, or comes back.
    void setRightFolded(bool folded);
    bool isRightFolded() const { return rightFolded_; }
    void setRightHidden(bool hidden);  // presenter mode
    // Gives the height of the charts to the big panel: a dead rank is looked for in Topology.
    void setChartsHidden(bool hidden);

    QByteArray saveState() const;
    bool restoreState(const QByteArray& state);
    void restoreDefault();

Q_SIGNALS:
    void panelOpened(const QString& id);
    void actionRequested(const QString& name);

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void addPanels(const panels::PanelContext& context,
                   const std::vector<panels::PanelEntry>& entries);
    void addPanelAction(panels::Panel& panel);
    void place(panels::Panel& panel);
    void addTab(panels::Panel& panel);
    void setBadge(panels::Panel& panel, int count, widgets::State state);
    panels::Panel* rightPanel() const;
    QSplitter* split(Qt::Orientation orientation);

    const widgets::Theme& theme_;
    std::vector<panels::Panel*> panels_;
    std::vector<QAction*> panelActions_;
    std::vector<panels::Panel*> tabPanels_;
    QSplitter* across_;  // middle | right
    QSplitter* down_;    // tabs / charts / bottom
    QSplitter* charts_;
    QSplitter* bottom_;
    QWidget* middle_;
    QWidget* right_;
    widgets::TabStrip* tabs_;
    widgets::MessageStrip* largeStrip_;
    widgets::MessageStrip* lineStrip_;
    QStackedWidget* stack_;
    bool rightFolded_ = false;
    bool sized_ = false;
};

}  // namespace fl::shell
