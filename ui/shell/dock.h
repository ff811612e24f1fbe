// SPDX-License-Identifier: GPL-3.0-or-later
// One region of the window: it can be moved, floated, put into tabs with others and closed. The
// header of its panel is its title bar, so that nothing stands there twice.
#pragma once

#include <QDockWidget>
#include <QPointer>

class QAction;

namespace fl::widgets {
class Button;
class PanelHeader;
class Theme;
}  // namespace fl::widgets

namespace fl::shell {

class Dock : public QDockWidget {
    Q_OBJECT

public:
    // `content` is laid out in a column whose first row is `header`.
    Dock(const widgets::Theme& theme,
         const QString& id,
         QWidget* content,
         widgets::PanelHeader* header,
         QWidget* parent);

    QString id() const { return objectName(); }
    QWidget* content() const { return content_; }
    // What the user wants, whether or not the shell hides it for now.
    bool isWanted() const { return wanted_; }
    void setWanted(bool wanted);
    // The shell hides it: no room, or nothing is open.
    void setFolded(bool folded);
    // Gives its content away, to be shown elsewhere, and takes it back.
    QWidget* release();
    void takeBack();
    bool isReleased() const { return released_; }
    // "Memory", checkable, for menus; and "Hide memory" or "Show memory" for the palette.
    QAction* viewAction() const { return action_; }
    QAction* toggleAction() const { return toggle_; }

Q_SIGNALS:
    void wantedChanged(bool wanted);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void buildMenu();
    void refresh();

    const widgets::Theme& theme_;
    QWidget* content_;
    widgets::PanelHeader* header_;
    widgets::Button* menuButton_;
    QAction* action_;
    QAction* toggle_;
    bool wanted_ = true;
    bool folded_ = false;
    bool released_ = false;
};

}  // namespace fl::shell
