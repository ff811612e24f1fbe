// SPDX-License-Identifier: GPL-3.0-or-later
// A blocked loop is measured, and told from one that others left no core.
#include "ui/client/loop_watchdog.h"

#include <atomic>
#include <thread>
#include <vector>

#include <sched.h>
#include <time.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using fl::client::LoopWatchdog;

namespace {

// What this thread has used of a core.
double busyMilliseconds() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return double(used.tv_sec) * 1e3 + double(used.tv_nsec) / 1e6;
}

}  // namespace

class LoopWatchdogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void seesABlockedLoop();
    void countsNoTimeThatOthersHadTheCore();
};

void LoopWatchdogTest::seesABlockedLoop() {
    LoopWatchdog watchdog;
    QSignalSpy blocked(&watchdog, &LoopWatchdog::blocked);
    watchdog.start();
    // Holds the loop up, as a slow slot would, and with the core all the time.
    const double begun = busyMilliseconds();
    while (busyMilliseconds() - begun < 150) {
    }
    QTRY_VERIFY(blocked.count() >= 1);
    QVERIFY(watchdog.longest() >= 100);
    watchdog.reset();
    QCOMPARE(watchdog.longest(), 0.0);
}

void LoopWatchdogTest::countsNoTimeThatOthersHadTheCore() {
    cpu_set_t before;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    QCOMPARE(::sched_getaffinity(0, sizeof before, &before), 0);
    QCOMPARE(::sched_setaffinity(0, sizeof one, &one), 0);
    std::atomic<bool> done = false;
    std::vector<std::thread> others;
    for (int i = 0; i < 16; ++i) {
        others.emplace_back([&done] {
            while (!done) {
            }
        });
    }
    LoopWatchdog watchdog;
    watchdog.start();
    QElapsedTimer clock;
    qint64 longest = 0;
    // Slots that are short by themselves, but lose the core in their midst.
    for (int slot = 0; slot < 20; ++slot) {
        clock.start();
        while (clock.elapsed() < 8) {
        }
        longest = std::max(longest, clock.elapsed());
        QTest::qWait(12);
    }
    done = true;
    for (std::thread& other : others) {
        other.join();
    }
    QCOMPARE(::sched_setaffinity(0, sizeof before, &before), 0);
    qInfo("longest slot %lld ms, longest block %.1f ms", longest, watchdog.longest());
    QVERIFY(watchdog.longest() <= 50);
}

QTEST_GUILESS_MAIN(LoopWatchdogTest)
#include "loop_watchdog_test.moc"
