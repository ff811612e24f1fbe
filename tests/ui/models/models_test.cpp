// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/models.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class ModelsTest : public QObject {
    Q_OBJECT

private slots:
    void showsAWholeSnapshot() {
        Models models;
        QSignalSpy wanted(&models, &Models::tensorsWanted);
        models.applySnapshot(smollmServing());
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(models.stages.stateOf(QStringLiteral("load")), QStringLiteral("passed"));
        QCOMPARE(models.census.census().layers, 30);
        QCOMPARE(models.topology.topology().nodes.size(), std::size_t(1));
        QCOMPARE(models.memory.ranks().size(), std::size_t(6));
        QCOMPARE(models.ranks.rowCount(), 6);
        QCOMPARE(models.latency.series(LatencyModel::Measure::Step).size(), std::size_t(300));
        QCOMPARE(models.log.rowCount(), 10);
        QCOMPARE(models.chat.rowCount(), 3);
        QCOMPARE(models.settings.job, std::string("smollm2"));
    }
    void forgetsTheRunBefore() {
        Models models;
        models.applySnapshot(kimiFailed());
        QVERIFY(models.ranks.lost() != nullptr);
        models.selection.selectRank(13);
        models.applySnapshot(smollmPlanned());
        QVERIFY(models.ranks.lost() == nullptr);
        QCOMPARE(models.findings.rowCount(), 0);
        QCOMPARE(models.selection.rank(), -1);
        protocol::JobChanged job;
        job.openedAt = 7;
        models.applyJob(job);
        QVERIFY(models.plan.empty());
        QCOMPARE(models.stages.openedAt(), 7.0);
    }
    void clearsOldFindingsWhenAStageRunsAgain() {
        Models models;
        models.applySnapshot(kimiFailed());
        protocol::StageState launch;
        launch.stage = "launch";
        launch.state = "running";
        launch.startedAt = 5;
        models.applyStage(launch);
        QCOMPARE(models.findings.rowCount(), 0);
        QVERIFY(models.ranks.lost() == nullptr);
        QCOMPARE(models.latency.markers().size(), std::size_t(1));
        launch.progress = 0.5;
        models.applyStage(launch);
        QCOMPARE(models.latency.markers().size(), std::size_t(1));
    }
    void passesEventsOn() {
        Models models;
        models.applyPlan(smollmPlan());
        models.applyLoad({1, 0, 1, 1, 2, 0, ""});
        QCOMPARE(models.ranks.load(1)->bytesDone, 1);
        models.applyLog({1, 0, "error", "load", "x"});
        QCOMPARE(models.log.firstError(), 0);
        Finding finding;
        finding.code = "x";
        models.applyFinding(finding);
        QCOMPARE(models.findings.rowCount(), 1);
        protocol::ChatRequest request;
        request.request = "q";
        request.messages = {{"user", "hi"}};
        models.applyChatRequest(request);
        models.applyChatRequest(request);
        QCOMPARE(models.chat.rowCount(), 2);
        models.applyChatDelta({"q", "Hello", {}, {}, {}});
        protocol::ChatDone done;
        done.request = "q";
        done.finish = "stop";
        done.text = "Hello";
        done.timing.ttft = 0.2;
        models.applyChatDone(done);
        QCOMPARE(models.latency.series(LatencyModel::Measure::FirstToken).size(), std::size_t(1));
    }
};

std::unique_ptr<QObject> modelsTest() {
    return std::make_unique<ModelsTest>();
}

}  // namespace fl::test

#include "models_test.moc"
