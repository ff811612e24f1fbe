// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: every command of the window by a few letters of its words.
#pragma once

#include <vector>

#include <QPointer>
#include <QWidget>

#include "ui/widgets/theme.h"

class QAction;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace fl::shell {

// How well `pattern` fits `text`: its letters in order, better at the beginnings of words and in
// a row. Less than 0: does not fit. An empty pattern fits everything equally.
int fuzzyScore(const QString& pattern, const QString& text);

class CommandPalette : public QWidget {
    Q_OBJECT

public:
    CommandPalette(const widgets::Theme& theme, QWidget* window);

    // Opens over the window with these actions. Disabled ones are shown with their reason.
    void open(const std::vector<QAction*>& actions);
    QStringList shown() const;  // words of the rows, best first

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter(const QString& pattern);
    void run(int row);
    void move(int step);
    void close();

    const widgets::Theme& theme_;
    std::vector<QAction*> actions_;
    QLineEdit* field_;
    QListView* list_;
    QStandardItemModel* rows_;
    QPointer<QWidget> before_;  // had the focus
};

}  // namespace fl::shell
