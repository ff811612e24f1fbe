// SPDX-License-Identifier: GPL-3.0-or-later
// The palette finds commands by a few letters and runs them from the keyboard.
// Covers: ui/shell/actions.cpp
#include "ui/shell/command_palette.h"

#include <QAction>
#include <QLineEdit>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include "ui/shell/actions.h"
#include "ui/widgets/theme.h"

using namespace fl;
using shell::Actions;
using shell::Command;
using shell::CommandPalette;
using shell::fuzzyScore;

class CommandPaletteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fitsLettersInOrderOnly();
    void prefersBeginningsOfWords();
    void filtersAsTyped();
    void runsWithEnterAndLeavesWithEscape();
    void showsBlockedCommandsButDoesNotRunThem();
    void gaveEachShortcutOnce();

private:
    widgets::Theme theme_;
};

void CommandPaletteTest::fitsLettersInOrderOnly() {
    QVERIFY(fuzzyScore("lch", "Launch") >= 0);
    QVERIFY(fuzzyScore("hcl", "Launch") < 0);
    QVERIFY(fuzzyScore("", "Launch") == 0);
    QVERIFY(fuzzyScore("open ck", "Open a checkpoint…") >= 0);
}

void CommandPaletteTest::prefersBeginningsOfWords() {
    QVERIFY(fuzzyScore("dt", "Dark theme") > fuzzyScore("dt", "Close and wait"));
    QVERIFY(fuzzyScore("stop", "Stop") > fuzzyScore("stop", "Settings of a plot"));
}

void CommandPaletteTest::filtersAsTyped() {
    QWidget window;
    window.resize(1000, 700);
    Actions actions(theme_, &window);
    CommandPalette palette(theme_, &window);
    window.show();
    palette.open(actions.all());
    QVERIFY(palette.shown().size() == int(actions.all().size()));
    auto* field = palette.findChild<QLineEdit*>();
    QTest::keyClicks(field, "dark");
    QCOMPARE(palette.shown().first(), "Dark theme");
}

void CommandPaletteTest::runsWithEnterAndLeavesWithEscape() {
    QWidget window;
    window.resize(1000, 700);
    Actions actions(theme_, &window);
    CommandPalette palette(theme_, &window);
    window.show();
    QSignalSpy launched(actions[Command::Launch], &QAction::triggered);
    palette.open(actions.all());
    auto* field = palette.findChild<QLineEdit*>();
    QTest::keyClicks(field, "launch");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(launched.count(), 1);
    QVERIFY(palette.isHidden());
    palette.open(actions.all());
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(palette.isHidden());
    QCOMPARE(launched.count(), 1);
}

void CommandPaletteTest::showsBlockedCommandsButDoesNotRunThem() {
    QWidget window;
    window.resize(1000, 700);
    Actions actions(theme_, &window);
    actions.setBlocked(Command::Stop, "Nothing is running");
    CommandPalette palette(theme_, &window);
    window.show();
    QSignalSpy stopped(actions[Command::Stop], &QAction::triggered);
    palette.open(actions.all());
    auto* field = palette.findChild<QLineEdit*>();
    QTest::keyClicks(field, "stop");
    QCOMPARE(palette.shown().first(), "Stop");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(stopped.count(), 0);
}

void CommandPaletteTest::gaveEachShortcutOnce() {
    QObject owner;
    Actions actions(theme_, &owner);
    QSet<QString> seen;
    for (const QAction* action : actions.all()) {
        const QString keys = action->shortcut().toString();
        QVERIFY2(keys.isEmpty() || !seen.contains(keys), qPrintable(keys));
        seen.insert(keys);
    }
}

QTEST_MAIN(CommandPaletteTest)
#include "command_palette_test.moc"
