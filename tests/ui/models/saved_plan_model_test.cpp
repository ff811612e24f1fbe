// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/saved_plan_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::SavedPlan saved(const char* name, const char* plan, double step) {
    protocol::SavedPlan out;
    out.name = name;
    out.plan.name = plan;
    out.plan.peakBytes = std::int64_t{61} << 30;
    out.plan.step = step;
    return out;
}

class SavedPlanModelTest : public QObject {
    Q_OBJECT

private slots:
    void listsWhatTheEngineKeeps() {
        SavedPlanModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.apply({{saved("fast", "tp8·pp4", 0.0146), saved("roomy", "tp8·pp8", 0)}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, SavedPlanModel::NameColumn).data().toString(),
                 QStringLiteral("fast"));
        QCOMPARE(model.index(0, SavedPlanModel::StepColumn).data().toString(),
                 QStringLiteral("14.6 ms"));
        QCOMPARE(model.index(1, SavedPlanModel::StepColumn).data().toString(),
                 QStringLiteral("not known"));
        QCOMPARE(model.find(QStringLiteral("roomy")), 1);
        QCOMPARE(model.find(QStringLiteral("none")), -1);
    }
    void putsTheNewestFirstAndReplacesItsName() {
        SavedPlanModel model;
        model.apply({{saved("fast", "tp8·pp4", 1), saved("roomy", "tp8·pp8", 1)}});
        model.add(saved("roomy", "tp4·pp16", 1));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.find(QStringLiteral("roomy")), 0);
        QCOMPARE(model.plan(0).plan.name, std::string("tp4·pp16"));
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
};

std::unique_ptr<QObject> savedPlanModelTest() {
    return std::make_unique<SavedPlanModelTest>();
}

}  // namespace fl::test

#include "saved_plan_model_test.moc"
