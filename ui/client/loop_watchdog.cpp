// SPDX-License-Identifier: GPL-3.0-or-later
// A timer that is late says how long the loop was blocked.
#include "ui/client/loop_watchdog.h"

#include <algorithm>

namespace fl::client {

namespace {
constexpr int kTickMilliseconds = 10;
constexpr double kBudgetMilliseconds = 50;
}  // namespace

LoopWatchdog::LoopWatchdog(QObject* parent) : QObject(parent) {
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.setInterval(kTickMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &LoopWatchdog::tick);
}

void LoopWatchdog::start() {
    longest_ = 0;
    clock_.start();
    timer_.start();
}

void LoopWatchdog::stop() {
    timer_.stop();
}

void LoopWatchdog::tick() {
    const double gap = double(clock_.nsecsElapsed()) / 1e6;
    clock_.start();
    const double block = std::max(0.0, gap - kTickMilliseconds);
    longest_ = std::max(longest_, block);
    if (block > kBudgetMilliseconds) {
        Q_EMIT blocked(block);
    }
}

}  // namespace fl::client
