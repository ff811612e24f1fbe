// SPDX-License-Identifier: GPL-3.0-or-later
// The tool bar: model, cluster and plan as menus, Launch and Stop, the search field, settings.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/widgets/theme.h"

class QAction;
class QMenu;

namespace fl::models {
struct Models;
}
namespace fl::widgets {
class Button;
}

namespace fl::shell {

class Actions;
class Settings;

class TopBar : public QWidget {
    Q_OBJECT

public:
    TopBar(const widgets::Theme& theme,
           models::Models& models,
           const Actions& actions,
           const Settings& settings,
           QWidget* parent = nullptr);

    // A strip or a panel offers the next step: Launch is not primary then.
    void setLaunchPrimary(bool primary);
    // What the menu of docks offers, once.
    void setViews(const std::vector<QAction*>& views);
    void refresh();
    QSize sizeHint() const override;

Q_SIGNALS:
    void recentChosen(const QString& checkpoint);
    void clusterChosen(const QString& cluster);
    void clusterWanted();  // another one than the menu offers
    // A cut of the ranks; all 0: the planner chooses.
    void meshChosen(int tp, int pp, int ep, int dp);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    widgets::Button* addMenu(const QString& text, void (TopBar::*fill)(QMenu&));
    widgets::Button* addAction(int command);
    void fillModels(QMenu& menu);
    void fillClusters(QMenu& menu);
    void fillPlans(QMenu& menu);

    const widgets::Theme& theme_;
    models::Models& models_;
    const Actions& actions_;
    const Settings& settings_;
    widgets::Button* model_;
    widgets::Button* cluster_;
    widgets::Button* plan_;
    widgets::Button* launch_;
    widgets::Button* stop_;
    QWidget* search_;
    widgets::Button* views_;
    widgets::Button* gear_;
};

}  // namespace fl::shell
