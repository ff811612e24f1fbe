// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/stage_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::StageState state(const char* stage, const char* word) {
    protocol::StageState value;
    value.stage = stage;
    value.state = word;
    value.summary = "356.9 of 554.3 GiB";
    value.progress = 0.64;
    return value;
}

class StageModelTest : public QObject {
    Q_OBJECT

private slots:
    void keepsSevenStagesInOrder() {
        StageModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 7);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("Inspect"));
        QCOMPARE(model.index(6).data(StageModel::StageRole).toString(), QStringLiteral("probe"));
    }
    void replacesTheRowOfAStage() {
        StageModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy changed(&model, &StageModel::stageChanged);
        model.apply(state("load", "running"));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed.first().first().toInt(), 3);
        QCOMPARE(model.stateOf(QStringLiteral("load")), QStringLiteral("running"));
        QCOMPARE(model.runningRow(), 3);
        QCOMPARE(model.index(3).data(StageModel::ProgressRole).toDouble(), 0.64);
    }
    void leavesOutAStageItDoesNotKnow() {
        StageModel model;
        QSignalSpy changed(&model, &StageModel::stageChanged);
        model.apply(state("polish", "running"));
        QCOMPARE(changed.count(), 0);
        QCOMPARE(model.runningRow(), -1);
        QCOMPARE(model.stateOf(QStringLiteral("polish")), QStringLiteral("idle"));
    }
    void forgetsOnReset() {
        StageModel model;
        model.apply(state("load", "failed"));
        model.setOpenedAt(12);
        model.reset();
        QCOMPARE(model.stateOf(QStringLiteral("load")), QStringLiteral("idle"));
        QCOMPARE(model.openedAt(), 0.0);
    }
};

std::unique_ptr<QObject> stageModelTest() {
    return std::make_unique<StageModelTest>();
}

}  // namespace fl::test

#include "stage_model_test.moc"
