// SPDX-License-Identifier: GPL-3.0-or-later
// Starts firstlightd detached and looks for its socket.
#include "ui/client/engine_process.h"

#include <memory>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLocalSocket>
#include <QRegularExpression>
#include <QSocketNotifier>

#include "engine/base/paths.h"
#include "engine/base/unique_fd.h"
#include "ui/client/spawn.h"

namespace fl::client {

namespace {

constexpr int kLookMilliseconds = 50;
constexpr int kLongestJobName = 40;

// Connecting to a Unix socket either works at once or does not: nothing is waited for.
bool answers(const QString& socketPath) {
    QLocalSocket socket;
    socket.connectToServer(socketPath);
    return socket.state() == QLocalSocket::ConnectedState;
}

QString lastLine(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    constexpr qint64 kTail = 4096;
    file.seek(std::max(qint64{0}, file.size() - kTail));
    const QStringList lines =
        QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    return lines.isEmpty() ? QString() : lines.last().trimmed();
}

}  // namespace

std::vector<RunningEngine> runningEngines() {
    std::vector<RunningEngine> engines;
    const auto folder = fl::runtimeDir();
    if (!folder) {
        return engines;
    }
    const QDir dir(QString::fromStdString(*folder));
    for (const QString& name :
         dir.entryList({QStringLiteral("*.sock")}, QDir::System, QDir::Name)) {
        if (answers(dir.filePath(name))) {
            engines.push_back({name.chopped(5), dir.filePath(name)});
        }
    }
    return engines;
}

QString jobNameFor(const QString& checkpoint) {
    QString name = QDir(QDir::cleanPath(checkpoint)).dirName();
    for (const char* ending : {".gguf", ".safetensors"}) {
        if (name.endsWith(QLatin1String(ending))) {
            name.chop(qstrlen(ending));
        }
    }
    static const QRegularExpression kForbidden(QStringLiteral("[^A-Za-z0-9._-]+"));
    name.replace(kForbidden, QStringLiteral("-"));
    static const QRegularExpression kLeading(QStringLiteral("^[.-]+"));
    name.remove(kLeading);
    name.truncate(kLongestJobName);
    return name.isEmpty() ? QStringLiteral("job") : name;
}

EngineProcess::EngineProcess(QString program, QObject* parent)
    : QObject(parent),
      program_(std::move(program)) {
    if (program_.isEmpty()) {
        program_ = QString::fromStdString(fl::programDir()) + QStringLiteral("/firstlightd");
    }
    timer_.setInterval(kLookMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &EngineProcess::look);
}

void EngineProcess::start(const QString& job) {
    job_ = job;
    since_.start();
    const auto folder = fl::runtimeDir();
    if (!folder) {
        timer_.stop();
        Q_EMIT failed(folder.error());
        return;
    }
    socket_ = QDir(QString::fromStdString(*folder)).filePath(job + QStringLiteral(".sock"));
    if (!answers(socket_)) {
        launch();
    }
    timer_.start();
}

// Starting waits until the new process runs its program, which takes as long as the machine is
// busy: a thread waits for it, not the window.
void EngineProcess::launch() {
    const QDir folder(QString::fromStdString(fl::stateDir()));
    folder.mkpath(QStringLiteral("logs"));
    logFile_ = folder.filePath(QStringLiteral("logs/") + job_ + QStringLiteral("-engine.log"));
    auto pid = std::make_shared<pid_t>(-1);
    starter_ = QThread::create([pid, program = program_, job = job_, log = logFile_] {
        *pid = spawnDetached(program, {QStringLiteral("--job"), job}, log);
    });
    connect(starter_, &QThread::finished, starter_, &QObject::deleteLater);
    connect(starter_, &QThread::finished, this, [this, pid, job = job_] { started(*pid, job); });
    starter_->start();
}

void EngineProcess::started(pid_t pid, const QString& job) {
    if (pid > 0) {
        watch(pid, job);
    } else if (job == job_ && timer_.isActive()) {
        timer_.stop();
        fail(tr("%1 cannot be started").arg(program_));
    }
}

// Told by the kernel when it ends: at once if it has, and whenever it does later, so that no dead
// process is kept for this one.
void EngineProcess::watch(pid_t pid, const QString& job) {
    auto handle = std::make_shared<fl::UniqueFd>(int(::syscall(SYS_pidfd_open, pid, 0)));
    if (!*handle) {
        return;
    }
    auto* end = new QSocketNotifier(handle->get(), QSocketNotifier::Read, this);
    connect(end, &QSocketNotifier::activated, this, [this, end, handle, pid, job] {
        end->setEnabled(false);
        end->deleteLater();
        ::waitpid(pid, nullptr, WNOHANG);
        if (job == job_ && timer_.isActive()) {
            timer_.stop();
            fail(tr("the engine %1 ended while it started").arg(job_));
        }
    });
}

EngineProcess::~EngineProcess() {
    if (starter_) {
        starter_->wait();
    }
}

void EngineProcess::look() {
    if (answers(socket_)) {
        timer_.stop();
        Q_EMIT ready(job_, socket_);
        return;
    }
    if (since_.elapsed() > budget_) {
        timer_.stop();
        fail(tr("the engine %1 did not open its socket within %2 s").arg(job_).arg(budget_ / 1000));
    }
}

void EngineProcess::fail(const QString& sentence) {
    const QString line = lastLine(logFile_);
    const QString words = line.isEmpty() ? sentence : sentence + QStringLiteral(": ") + line;
    Q_EMIT failed({fl::ErrorCode::Io, words.toStdString()});
}

}  // namespace fl::client
