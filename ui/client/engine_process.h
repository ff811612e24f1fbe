// SPDX-License-Identifier: GPL-3.0-or-later
// Finds engines of this user that run, and starts one that outlives the workbench.
#pragma once

#include <vector>

#include <sys/types.h>

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QThread>
#include <QTimer>

#include "engine/base/result.h"

namespace fl::client {

struct RunningEngine {
    QString job;
    QString socket;
};

// Engines that answer on their socket at this moment, by name.
std::vector<RunningEngine> runningEngines();

// A job name out of a checkpoint's folder or file name: letters, digits, '-', '_', '.', at most 40.
QString jobNameFor(const QString& checkpoint);

class EngineProcess : public QObject {
    Q_OBJECT

public:
    // `program` is firstlightd beside the workbench unless given.
    explicit EngineProcess(QString program = {}, QObject* parent = nullptr);
    ~EngineProcess() override;

    // Makes sure that an engine runs under this name; then ready() or failed(), once. Never waits:
    // looks for the socket twenty times a second until the budget is spent.
    void start(const QString& job);
    void setBudget(int milliseconds) { budget_ = milliseconds; }

Q_SIGNALS:
    void ready(const QString& job, const QString& socketPath);
    void failed(const fl::Error& error);

private:
    void look();
    void launch();
    void started(pid_t pid, const QString& job);
    void watch(pid_t pid, const QString& job);
    void fail(const QString& sentence);

    QString program_;
    QString job_;
    QString socket_;
    QString logFile_;
    QPointer<QThread> starter_;
    int budget_ = 15000;
    QElapsedTimer since_;
    QTimer timer_;
};

}  // namespace fl::client
