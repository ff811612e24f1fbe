// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: three ways to begin, and what was opened before.
#pragma once

#include <QWidget>

#include "ui/widgets/theme.h"

class QLineEdit;
class QStandardItemModel;
class QSortFilterProxyModel;
class QTableView;

namespace fl::widgets {
class Button;
}

namespace fl::shell {

class Actions;
class Settings;

class StartPage : public QWidget {
    Q_OBJECT

public:
    StartPage(const widgets::Theme& theme,
              const Actions& actions,
              const Settings& settings,
              QWidget* parent = nullptr);

    // Reads the recent list again.
    void refresh();
    // Puts the focus on the primary button.
    void begin();

Q_SIGNALS:
    void recentChosen(const QString& checkpoint);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Way {
        QString icon;
        QString title;
        QString body;
        QString button;
        QString keys;
        bool primary;
    };
    QWidget* buildHead();
    widgets::Button* addWay(QLayout& row, const Way& way);
    QWidget* buildRecent();
    QWidget* buildFoot();
    void buildTable();

    const widgets::Theme& theme_;
    const Actions& actions_;
    const Settings& settings_;
    widgets::Button* open_;
    QWidget* recent_;
    QLineEdit* filter_;
    QTableView* table_;
    QStandardItemModel* rows_;
    QSortFilterProxyModel* shown_;
};

}  // namespace fl::shell
