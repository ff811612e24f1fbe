// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the window with its words, icon and keys, once: menus, buttons, shortcuts and
// the command palette all use these.
#pragma once

#include <vector>

#include <QObject>

class QAction;

namespace fl::widgets {
class Theme;
}

namespace fl::shell {

enum class Command {
    Open,
    Demo,
    Attach,
    Launch,
    Stop,
    Restart,
    Detach,
    ShutDown,
    Palette,
    Settings,
    Keys,
    Presenter,
    DarkTheme,
    LightTheme,
    DesktopTheme,
    RestoreLayout,
    CopyFindings,
    FocusChat,
    Quit
};

class Actions : public QObject {
    Q_OBJECT

public:
    Actions(const widgets::Theme& theme, QObject* parent);

    QAction* operator[](Command command) const { return actions_[std::size_t(command)]; }
    const std::vector<QAction*>& all() const { return actions_; }
    // Disables a command and says why, in its tool tip; an empty reason enables it.
    void setBlocked(Command command, const QString& reason);

private:
    std::vector<QAction*> actions_;
};

}  // namespace fl::shell
