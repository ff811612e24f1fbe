// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/plan_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/placement_parts.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class PlanModelTest : public QObject {
    Q_OBJECT

private slots:
    void listsTheNearestPlans() {
        PlanModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.apply(kimiPlan());
        QCOMPARE(model.rowCount(), 7);
        QCOMPARE(model.index(0, PlanModel::PlanColumn).data().toString(),
                 QStringLiteral("tp8·pp4·ep8"));
        QVERIFY(model.index(0, 0).data(PlanModel::InUseRole).toBool());
        QCOMPARE(model.index(0, PlanModel::NoteColumn).data().toString(), QStringLiteral("in use"));
        QCOMPARE(model.index(1, PlanModel::PeakColumn).data().toString(), QStringLiteral("62.3"));
        QCOMPARE(model.index(2, PlanModel::StepColumn).data().toString(), QStringLiteral("16.1"));
    }
    void addsUpWhatRanksHold() {
        PlanModel model;
        model.apply(smollmPlan());
        const protocol::RankInfo* rank = model.rank(4);
        QVERIFY(rank != nullptr);
        QCOMPARE(rank->pp, 1);
        QVERIFY(model.rank(6) == nullptr);
        QCOMPARE(model.largestRankBytes(),
                 std::max(model.plan().ranks[0].ledger.total, model.plan().ranks[5].ledger.total));
        QCOMPARE(model.smallestFreeBytes(), (512LL << 20) - model.largestRankBytes());
        QVERIFY(model.heldBytes() > model.replicatedBytes());
    }
    void keepsTheProposalApart() {
        PlanModel model;
        model.apply(smollmPlan());
        QSignalSpy changed(&model, &PlanModel::changed);
        QSignalSpy proposed(&model, &PlanModel::proposalChanged);
        model.propose(smollmRefused());
        QCOMPARE(model.plan().mesh.tp, 3);
        QCOMPARE(model.proposal()->mesh.tp, 2);
        model.discardProposal();
        QVERIFY(model.proposal() == nullptr);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(proposed.count(), 2);
    }
    void showsALegalProposalInThePlansPlace() {
        PlanModel model;
        model.apply(kimiPlan());
        QVERIFY(!model.showsProposal());
        protocol::PlanInfo other = kimiPlan();
        other.ranks[3].ledger.weights += 1000;
        model.propose(other);
        QVERIFY(model.showsProposal());
        QCOMPARE(model.shownRank(3)->ledger.weights, other.ranks[3].ledger.weights);
        QCOMPARE(model.rank(3)->ledger.weights, other.ranks[3].ledger.weights - 1000);
        other.violations = smollmRefused().violations;
        model.propose(other);
        QVERIFY(!model.showsProposal());
        QCOMPARE(model.shownRank(3)->ledger.weights, other.ranks[3].ledger.weights - 1000);
    }
    void keepsTheCellsOfEachPlanApart() {
        PlanModel model;
        QSignalSpy known(&model, &PlanModel::cellsChanged);
        model.apply(kimiPlan());
        QVERIFY(model.cells() == nullptr);
        PlacementCells cells = cellsOf(kimiPlan());
        model.applyCells(cells);
        QCOMPARE(model.cells()->layers, 61);
        model.propose(kimiPlan());
        QVERIFY(model.cells() == nullptr);
        cells.layers = 7;
        model.applyProposalCells(cells);
        QCOMPARE(model.cells()->layers, 7);
        model.discardProposal();
        QCOMPARE(model.cells()->layers, 61);
        model.applyProposalCells(cells);  // too late
        QCOMPARE(model.cells()->layers, 61);
        QCOMPARE(known.count(), 2);
        model.apply(kimiPlan());
        QVERIFY(model.cells() == nullptr);
        model.reset();
        QVERIFY(model.empty());
    }
    void listsWhatASearchHasFound() {
        PlanModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        protocol::SearchProgress progress;
        progress.best.push_back(kimiPlan().alternatives[0]);
        progress.best.push_back(kimiPlan().alternatives[0]);
        progress.best[1].order = "pp,tp,dp";
        model.applySearch(progress);
        QVERIFY(model.search() == nullptr);  // nothing to compare with
        model.apply(kimiPlan());
        QSignalSpy changed(&model, &PlanModel::searchChanged);
        model.applySearch(progress);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, PlanModel::NoteColumn).data().toString(), QStringLiteral("in use"));
        QCOMPARE(model.index(1, PlanModel::NoteColumn).data().toString(),
                 QStringLiteral("pp,tp,dp"));
        model.forgetSearch();
        QCOMPARE(model.rowCount(), 7);
        model.applySearch(progress);
        model.apply(kimiPlan());
        QVERIFY(model.search() == nullptr);
        QCOMPARE(changed.count(), 4);
    }
    void writesMeshesShort() {
        QCOMPARE(meshText({1, 1, 1, 1}), QStringLiteral("tp1"));
        QCOMPARE(meshText({2, 2, 16, 8}), QStringLiteral("tp8·pp2·ep16·dp2"));
    }
};

std::unique_ptr<QObject> planModelTest() {
    return std::make_unique<PlanModelTest>();
}

}  // namespace fl::test

#include "plan_model_test.moc"
