// SPDX-License-Identifier: GPL-3.0-or-later
// A timer that is late says how long the loop was blocked.
#include "ui/client/loop_watchdog.h"

#include <algorithm>
#include <utility>

namespace fl::client {

namespace {
constexpr int kTickMilliseconds = 10;
constexpr double kBudgetMilliseconds = 50;
// The thread may lose its core between reading the clock and reading how long it queued: then the
// two do not belong together and are read again.
constexpr double kSameMomentMilliseconds = 0.5;
constexpr int kMostReads = 20;
}  // namespace

LoopWatchdog::LoopWatchdog(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kTickMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &LoopWatchdog::tick);
}

void LoopWatchdog::start() {
    longest_ = 0;
    schedule_.close();
    schedule_.setFileName(QStringLiteral("/proc/thread-self/schedstat"));
    schedule_.open(QIODevice::ReadOnly | QIODevice::Unbuffered);
    clock_.start();
    last_ = moment();
    timer_.start();
}

void LoopWatchdog::stop() {
    timer_.stop();
}

// Nothing queued where the kernel does not say.
LoopWatchdog::Moment LoopWatchdog::moment() {
    Moment read;
    for (int i = 0; i < kMostReads; ++i) {
        const qint64 before = clock_.nsecsElapsed();
        if (schedule_.isOpen() && schedule_.seek(0))
            read.queued = schedule_.readAll().split(' ').value(1).toDouble() / 1e6;
        const qint64 after = clock_.nsecsElapsed();
        read.now = double(after) / 1e6;
        if (double(after - before) / 1e6 < kSameMomentMilliseconds)
            break;
    }
    return read;
}

void LoopWatchdog::tick() {
    const Moment present = moment();
    const Moment before = std::exchange(last_, present);
    const double others = present.queued - before.queued;
    const double block = std::max(0.0, present.now - before.now - kTickMilliseconds - others);
    longest_ = std::max(longest_, block);
    if (block > kBudgetMilliseconds) {
        Q_EMIT blocked(block);
    }
}

}  // namespace fl::client
