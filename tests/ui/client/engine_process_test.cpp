// SPDX-License-Identifier: GPL-3.0-or-later
// Starting, finding and naming engines, with small scripts in the engine's place.
#include "ui/client/engine_process.h"

#include <cerrno>

#include <sys/wait.h>

#include <QFile>
#include <QLocalServer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace fl::client;

class EngineProcessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void namesJobsAfterCheckpoints();
    void findsEnginesThatAnswer();
    void attachesToOneThatRuns();
    void failsWithoutAProgram();
    void saysWhatAnEngineSaidThatEnded();
    void givesUpOnOneThatOpensNothing();

private:
    QString script(const QString& body);
    QTemporaryDir folder_;
};

void EngineProcessTest::initTestCase() {
    qputenv("XDG_RUNTIME_DIR", folder_.path().toLocal8Bit());
    qputenv("XDG_STATE_HOME", folder_.path().toLocal8Bit());
}

QString EngineProcessTest::script(const QString& body) {
    QFile file(folder_.filePath("engine.sh"));
    file.open(QIODevice::WriteOnly | QIODevice::Truncate);
    file.write(("#!/bin/sh\n" + body + "\n").toUtf8());
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
}

void EngineProcessTest::namesJobsAfterCheckpoints() {
    QCOMPARE(jobNameFor("/models/SmolLM2-135M-Instruct/"), "SmolLM2-135M-Instruct");
    QCOMPARE(jobNameFor("/models/a b.Q4_1.gguf"), "a-b.Q4_1");
    QCOMPARE(jobNameFor("/models/../.."), "job");
    QVERIFY(jobNameFor(QString(80, 'x')).size() <= 40);
}

void EngineProcessTest::findsEnginesThatAnswer() {
    QVERIFY(runningEngines().empty());
    QLocalServer server;
    QVERIFY(server.listen(folder_.filePath("firstlight/smol.sock")));
    const auto engines = runningEngines();
    QCOMPARE(int(engines.size()), 1);
    QCOMPARE(engines.front().job, "smol");
    server.close();
    QVERIFY(runningEngines().empty());
}

void EngineProcessTest::attachesToOneThatRuns() {
    QVERIFY(runningEngines().empty());
    QLocalServer server;
    QVERIFY(server.listen(folder_.filePath("firstlight/there.sock")));
    EngineProcess process("/nonexistent");
    QSignalSpy ready(&process, &EngineProcess::ready);
    process.start("there");
    QTRY_COMPARE(ready.count(), 1);
}

void EngineProcessTest::failsWithoutAProgram() {
    EngineProcess process("/nonexistent/firstlightd");
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.start("none");
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].value<fl::Error>().message.find("/nonexistent/firstlightd") !=
            std::string::npos);
}

void EngineProcessTest::saysWhatAnEngineSaidThatEnded() {
    EngineProcess process(script("echo 'no MPI found' >&2; exit 3"));
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.start("ends");
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].value<fl::Error>().message.find("no MPI found") != std::string::npos);
    // Nothing is left of it, not even a dead process.
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), pid_t(-1));
    QCOMPARE(errno, ECHILD);
}

void EngineProcessTest::givesUpOnOneThatOpensNothing() {
    EngineProcess process(script("exec sleep 2"));
    process.setBudget(200);
    QSignalSpy failed(&process, &EngineProcess::failed);
    process.start("silent");
    QTRY_COMPARE(failed.count(), 1);
}

QTEST_GUILESS_MAIN(EngineProcessTest)
#include "engine_process_test.moc"
