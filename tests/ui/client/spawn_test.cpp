// SPDX-License-Identifier: GPL-3.0-or-later
// A started program has a session, a log and no input of its own; one that is none is told.
#include "ui/client/spawn.h"

#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using fl::client::spawnDetached;

class SpawnTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startsItsOwnSession();
    void writesWhatItSaysToTheLog();
    void tellsWhatCannotRun();

private:
    QString log() const { return folder_.filePath("log"); }
    QTemporaryDir folder_;
};

void SpawnTest::startsItsOwnSession() {
    const pid_t pid = spawnDetached("/bin/sleep", {"60"}, log());
    QVERIFY(pid > 0);
    QTRY_COMPARE(::getsid(pid), pid);
    QCOMPARE(::kill(pid, SIGKILL), 0);
    QCOMPARE(::waitpid(pid, nullptr, 0), pid);
}

void SpawnTest::writesWhatItSaysToTheLog() {
    QFile old(log());
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("of an earlier run") > 0);
    old.close();
    const pid_t pid =
        spawnDetached("/bin/sh", {"-c", "echo \"$1\"; cat; echo and more >&2", "sh", "a b"}, log());
    QCOMPARE(::waitpid(pid, nullptr, 0), pid);
    QFile file(log());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("a b\nand more\n"));
}

void SpawnTest::tellsWhatCannotRun() {
    QCOMPARE(spawnDetached("/nonexistent/engine", {}, log()), pid_t(-1));
    QCOMPARE(spawnDetached("/bin/true", {}, "/nonexistent/log"), pid_t(-1));
}

QTEST_GUILESS_MAIN(SpawnTest)
#include "spawn_test.moc"
