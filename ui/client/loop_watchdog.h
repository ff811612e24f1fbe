// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how long the thread it lives in was ever kept from its event loop, by what it did or
// waited for. Time in which it was ready to run and other processes had all cores is not counted:
// Linux tells it (/proc/thread-self/schedstat, second number).
#pragma once

#include <QElapsedTimer>
#include <QFile>
#include <QObject>
#include <QTimer>

namespace fl::client {

class LoopWatchdog : public QObject {
    Q_OBJECT

public:
    explicit LoopWatchdog(QObject* parent = nullptr);

    void start();
    void stop();
    // Longest block since start or the last reset, in milliseconds.
    double longest() const { return longest_; }
    void reset() { longest_ = 0; }

Q_SIGNALS:
    // A block of more than 50 ms has ended.
    void blocked(double milliseconds);

private:
    // Milliseconds: since `clock_` began, and of waiting for a core since the thread began.
    struct Moment {
        double now = 0;
        double queued = 0;
    };
    void tick();
    Moment moment();

    QTimer timer_;
    QElapsedTimer clock_;
    QFile schedule_;
    Moment last_;
    double longest_ = 0;
};

}  // namespace fl::client
