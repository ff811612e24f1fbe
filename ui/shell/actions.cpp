// SPDX-License-Identifier: GPL-3.0-or-later
// The table of commands.
#include "ui/shell/actions.h"

#include <QAction>
#include <QCoreApplication>

#include "ui/widgets/icons.h"

namespace fl::shell {

namespace {

struct Entry {
    Command command;
    const char* name;
    const char* words;
    const char* icon;
    const char* keys;
};

constexpr Entry kEntries[] = {
    {Command::Open, "open", QT_TRANSLATE_NOOP("Actions", "Open a checkpoint…"), "folder", "Ctrl+O"},
    {Command::Demo, "demo", QT_TRANSLATE_NOOP("Actions", "Try the demo model"), "play", ""},
    {Command::Attach, "attach", QT_TRANSLATE_NOOP("Actions", "Attach to a running engine…"), "plug",
     "Ctrl+Shift+O"},
    {Command::Launch, "launch", QT_TRANSLATE_NOOP("Actions", "Launch"), "play", "Ctrl+L"},
    {Command::Stop, "stop", QT_TRANSLATE_NOOP("Actions", "Stop"), "stop", "Ctrl+."},
    {Command::Restart, "restart", QT_TRANSLATE_NOOP("Actions", "Launch again"), "restart", ""},
    {Command::Detach, "detach", QT_TRANSLATE_NOOP("Actions", "Detach, keep the engine running"),
     "plug", ""},
    {Command::ShutDown, "shutdown", QT_TRANSLATE_NOOP("Actions", "Shut the engine down"), "stop",
     ""},
    {Command::Palette, "palette", QT_TRANSLATE_NOOP("Actions", "Search or run a command"), "search",
     "Ctrl+K"},
    {Command::Settings, "settings", QT_TRANSLATE_NOOP("Actions", "Settings…"), "settings",
     "Ctrl+,"},
    {Command::Keys, "keys", QT_TRANSLATE_NOOP("Actions", "Keys"), "keyboard", "F1"},
    {Command::Presenter, "presenter", QT_TRANSLATE_NOOP("Actions", "Presenter mode"), "fit", "F11"},
    {Command::DarkTheme, "dark", QT_TRANSLATE_NOOP("Actions", "Dark theme"), "settings", ""},
    {Command::LightTheme, "light", QT_TRANSLATE_NOOP("Actions", "Light theme"), "settings", ""},
    {Command::DesktopTheme, "desktop", QT_TRANSLATE_NOOP("Actions", "Theme of the desktop"),
     "settings", ""},
    {Command::RestoreLayout, "layout", QT_TRANSLATE_NOOP("Actions", "Restore default layout"),
     "restart", ""},
    {Command::CopyFindings, "copy-findings",
     QT_TRANSLATE_NOOP("Actions", "Copy all findings as text"), "copy", ""},
    {Command::FocusChat, "chat", QT_TRANSLATE_NOOP("Actions", "Write a prompt"), "chat", ""},
    {Command::Quit, "quit", QT_TRANSLATE_NOOP("Actions", "Close the window"), "close", "Ctrl+Q"},
};

}  // namespace

Actions::Actions(const widgets::Theme& theme, QObject* parent) : QObject(parent) {
    for (const Entry& entry : kEntries) {
        auto* action = new QAction(QCoreApplication::translate("Actions", entry.words), this);
        action->setObjectName(QString::fromLatin1(entry.name));
        action->setIcon(widgets::icon(theme, QString::fromLatin1(entry.icon)));
        action->setShortcut(QKeySequence(QString::fromLatin1(entry.keys)));
        action->setShortcutContext(Qt::WindowShortcut);
        Q_ASSERT(actions_.size() == std::size_t(entry.command));
        actions_.push_back(action);
    }
    actions_[std::size_t(Command::Presenter)]->setCheckable(true);
}

void Actions::setBlocked(Command command, const QString& reason) {
    QAction* action = (*this)[command];
    action->setEnabled(reason.isEmpty());
    action->setToolTip(reason.isEmpty() ? action->text() : reason);
}

}  // namespace fl::shell
