// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/placement/
#include "ui/panels/placement/placement_panel.h"

#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/panels/placement/ledger_stack.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/panels/placement/violation_list.h"
#include "ui/panels/placement/what_if.h"
#include "ui/widgets/button.h"

namespace fl::test {

using panels::PlacementPanel;

class PlacementPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        PlacementPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-empty"), {876, 410}), QStringList());
    }
    void showsSixCardsBesideTheirMeasuredMemory() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-6-cards"), {876, 410}),
                 QStringList());
    }
    void showsAPlanOfThirtyTwoRanks() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-4x8"), {876, 410}), QStringList());
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-4x8-tall"), {1200, 800}),
                 QStringList());
    }
    void saysWhyAProposalIsIllegal() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        Bench::settle(panel, {876, 410});
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        whatIf->setNumber(QStringLiteral("tp"), 2);
        // The question is asked once typing pauses, and fails: nobody is connected.
        QSignalSpy asked(whatIf, &panels::WhatIf::proposed);
        QVERIFY(asked.wait(2000));
        bench.models.plan.propose(smollmRefused());
        QSignalSpy used(whatIf, &panels::WhatIf::useRequested);
        const auto answer = [&] { bench.models.plan.propose(smollmRefused()); };
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-refused"), {876, 500}, answer),
                 QStringList());
        auto* list = panel.findChild<panels::ViolationList*>();
        emit list->valueChosen(QStringLiteral("tp"), 9);
        QCOMPARE(whatIf->settings().tp, 9);
        QCOMPARE(used.count(), 0);
    }
    void asksTwiceBeforeItStopsRanks() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        whatIf->setRunning(6);
        protocol::PlanInfo other = smollmPlan();
        other.mesh = {1, 1, 1, 3};
        whatIf->setNumber(QStringLiteral("pp"), 1);
        whatIf->setAnswer(&other);
        QSignalSpy used(whatIf, &panels::WhatIf::useRequested);
        const auto buttons = whatIf->findChildren<widgets::Button*>();
        QVERIFY(!buttons.isEmpty());
        QVERIFY(buttons[0]->isEnabled());
        buttons[0]->click();
        QCOMPARE(used.count(), 0);
        buttons[0]->click();
        QCOMPARE(used.count(), 1);
        QCOMPARE(whatIf->settings().pp, 1);
    }
    void listsTheTensorsOfACell() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        bench.models.plan.applySlices(4, {smollmSlices(4)});
        panel.showCell(4, 20);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-tensors"), {876, 410}),
                 QStringList());
        QCOMPARE(panel.cellSlices().rowCount(), 9);
    }
    void proposesOtherStagesWhenABoundaryIsDragged() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        Bench::settle(panel, {876, 410});
        auto* map = panel.findChild<panels::PlacementMap*>();
        emit map->boundaryMoved(0, 12);
        QCOMPARE(panel.findChild<panels::WhatIf*>()->settings().stageLayers,
                 (std::vector<int>{12, 18}));
    }
    void readsLegalValuesOutOfWords() {
        QCOMPARE(panels::legalValues(QStringLiteral("1, 3 or 9")), (std::vector<int>{1, 3, 9}));
        QCOMPARE(panels::legalValues(QStringLiteral("6")), std::vector<int>{6});
        QVERIFY(panels::legalValues(QStringLiteral("at most 512 MiB")).empty());
        QVERIFY(panels::legalValues({}).empty());
    }
};

std::unique_ptr<QObject> placementPanelTest() {
    return std::make_unique<PlacementPanelTest>();
}

}  // namespace fl::test

#include "placement_panel_test.moc"
