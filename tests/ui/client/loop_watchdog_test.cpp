// SPDX-License-Identifier: GPL-3.0-or-later
// A blocked loop is measured.
#include "ui/client/loop_watchdog.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using fl::client::LoopWatchdog;

class LoopWatchdogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seesABlockedLoop();
};

void LoopWatchdogTest::seesABlockedLoop() {
    LoopWatchdog watchdog;
    QSignalSpy blocked(&watchdog, &LoopWatchdog::blocked);
    watchdog.start();
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 150) {
        // Holds the loop up, as a slow slot would.
    }
    QTRY_VERIFY(blocked.count() >= 1);
    QVERIFY(watchdog.longest() >= 100);
    watchdog.reset();
    QCOMPARE(watchdog.longest(), 0.0);
}

QTEST_GUILESS_MAIN(LoopWatchdogTest)
#include "loop_watchdog_test.moc"
