// SPDX-License-Identifier: GPL-3.0-or-later
// A timer that is late says how long the loop was blocked.
#include "ui/client/loop_watchdog.h"

#include <algorithm>
#include <utility>

#include <QFile>

namespace fl::client {

namespace {
constexpr int kTickMilliseconds = 10;
constexpr double kBudgetMilliseconds = 50;

// Time this thread was ready to run and had no core, so far; 0 where the kernel does not say.
double queuedMilliseconds() {
    QFile file(QStringLiteral("/proc/thread-self/schedstat"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return file.readAll().split(' ').value(1).toDouble() / 1e6;
}
}  // namespace

LoopWatchdog::LoopWatchdog(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kTickMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &LoopWatchdog::tick);
}

void LoopWatchdog::start() {
    longest_ = 0;
    clock_.start();
    queuedMilliseconds_ = queuedMilliseconds();
    timer_.start();
}

void LoopWatchdog::stop() {
    timer_.stop();
}

void LoopWatchdog::tick() {
    const double gap = double(clock_.nsecsElapsed()) / 1e6;
    clock_.start();
    const double queued = queuedMilliseconds();
    const double others = queued - std::exchange(queuedMilliseconds_, queued);
    const double block = std::max(0.0, gap - kTickMilliseconds - others);
    longest_ = std::max(longest_, block);
    if (block > kBudgetMilliseconds) {
        Q_EMIT blocked(block);
    }
}

}  // namespace fl::client
