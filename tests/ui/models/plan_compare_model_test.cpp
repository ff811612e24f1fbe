// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_compare_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static int rowOf(const PlanCompareModel& model, const char* property) {
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.index(row, 0).data().toString() == QLatin1String(property))
            return row;
    }
    return -1;
}

class PlanCompareModelTest : public QObject {
    Q_OBJECT

private slots:
    void marksWhatDiffersAndWhichIsBetter() {
        protocol::PlanInfo first = kimiPlan();
        protocol::PlanInfo second = first;
        first.predicted.step = 0.0146;
        second.predicted.step = 0.0182;
        second.mesh.tp = 4;
        second.maxContext = first.maxContext * 2;
        for (protocol::RankInfo& rank : second.ranks)
            rank.ledger.total -= std::int64_t{2} << 30;
        PlanCompareModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.compare(QStringLiteral("in use"), first, QStringLiteral("proposal"), second);
        const auto at = [&](const char* property, int column) {
            return model.index(rowOf(model, property), column);
        };
        QCOMPARE(at("Tensor parallel", PlanCompareModel::ChangeColumn).data().toString(),
                 QStringLiteral("−4"));
        QVERIFY(at("Tensor parallel", 0).data(PlanCompareModel::DiffersRole).toBool());
        QCOMPARE(at("Tensor parallel", 0).data(PlanCompareModel::JudgementRole).toInt(), 0);
        QVERIFY(!at("Pipeline stages", 0).data(PlanCompareModel::DiffersRole).toBool());
        QCOMPARE(at("Fullest rank", 3).data().toString(), QStringLiteral("−2.00 GiB"));
        QCOMPARE(at("Fullest rank", 0).data(PlanCompareModel::JudgementRole).toInt(), 1);
        QCOMPARE(at("Least free", 3).data().toString(), QStringLiteral("+2.00 GiB"));
        QCOMPARE(at("Step, predicted", 3).data().toString(), QStringLiteral("+3.60 ms"));
        QCOMPARE(at("Step, predicted", 0).data(PlanCompareModel::JudgementRole).toInt(), -1);
        QCOMPARE(model.differences(), 5);
        QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("proposal"));
    }
    void saysNothingOfAStepThatIsNotKnown() {
        protocol::PlanInfo first = smollmPlan();
        first.predicted.step = 0;
        protocol::PlanInfo second = first;
        second.predicted.step = 0.5;
        PlanCompareModel model;
        model.compare(QStringLiteral("a"), first, QStringLiteral("b"), second);
        const int row = rowOf(model, "Step, predicted");
        QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("not known"));
        QVERIFY(model.index(row, 3).data().toString().isEmpty());
        QCOMPARE(model.index(row, 0).data(PlanCompareModel::JudgementRole).toInt(), 0);
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
};

std::unique_ptr<QObject> planCompareModelTest() {
    return std::make_unique<PlanCompareModelTest>();
}

}  // namespace fl::test

#include "plan_compare_model_test.moc"
