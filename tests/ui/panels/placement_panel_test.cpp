// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/placement/
#include "ui/panels/placement/placement_panel.h"

#include <algorithm>

#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/placement_parts.h"
#include "tests/ui/support/recorded.h"
#include "tests/ui/support/tensor_tables.h"
#include "ui/panels/placement/cell_view.h"
#include "ui/panels/placement/compare_view.h"
#include "ui/panels/placement/ledger_stack.h"
#include "ui/panels/placement/log_slider.h"
#include "ui/panels/placement/placement_map.h"
#include "ui/panels/placement/plan_requests.h"
#include "ui/panels/placement/plans_page.h"
#include "ui/panels/placement/violation_list.h"
#include "ui/panels/placement/what_if.h"
#include "ui/widgets/button.h"
#include "ui/widgets/chip.h"

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
        const auto chips = list->findChildren<widgets::Chip*>();
        QVERIFY(chips.size() >= 3);
        chips[2]->click();  // and its row is gone with the answer
        whatIf->setAnswer(nullptr);
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
        auto* commit = whatIf->findChild<widgets::Button*>(QStringLiteral("commit"));
        QVERIFY(commit->isEnabled());
        commit->click();
        QCOMPARE(used.count(), 0);
        commit->click();
        QCOMPARE(used.count(), 1);
        QCOMPARE(whatIf->settings().pp, 1);
    }
    void looksIntoACell() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        bench.models.tensors.setTable(tableOf(kimiTensors()));
        Bench::settle(panel, {1200, 800});
        const panels::PlacementGrid& grid = panel.findChild<panels::PlacementMap*>()->grid();
        panel.showCell(21, grid.rowOfLayer(34));
        panel.showSide(PlacementPanel::Side::Tensors);
        auto* requests = panel.findChild<panels::PlanRequests*>();
        emit requests->cellKnown(21, 3, kimiCell());  // of another layer
        QCOMPARE(panel.cellSlices().rowCount(), 0);
        emit requests->cellKnown(21, 35, kimiCell());
        QCOMPARE(panel.cellSlices().rowCount(), int(kimiCell().size()));
        panel.findChild<panels::PlacementMap*>()->select(21, grid.rowOfLayer(34));
        auto* cell = panel.findChild<panels::CellView*>();
        QVERIFY(cell->isVisible());
        QCOMPARE(cell->parts().experts.size(), std::size_t(48));
        cell->selectExpert(251);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-cell"), {1200, 800}), QStringList());
        QSignalSpy hovered(cell, &panels::CellView::partHovered);
        QTest::mouseMove(cell, cell->expertRect(11).center());
        QTRY_COMPARE(hovered.count(), 1);
        QCOMPARE(hovered.last()[0].toInt(), 11);
        QTest::mouseClick(cell, Qt::LeftButton, {}, cell->expertRect(11).center());
        QVERIFY(bench.models.selection.tensor().contains(QStringLiteral("experts.251.")));
    }
    void looksIntoACellOfALowPanel() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        Bench::settle(panel, {876, 410});
        panel.showCell(21, panel.findChild<panels::PlacementMap*>()->grid().rowOfLayer(34));
        emit panel.findChild<panels::PlanRequests*>()->cellKnown(21, 35, kimiCell());
        auto* cell = panel.findChild<panels::CellView*>();
        QVERIFY(cell->isVisible());
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-cell-low"), {876, 410}),
                 QStringList());
        QVERIFY(cell->expertRect(47).right() < cell->width());
        Bench::settle(panel, {1200, 800});
        QVERIFY(cell->isVisible());
        QVERIFY(cell->width() < 400);
    }
    void zoomsAndPans() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        Bench::settle(panel, {1200, 800});
        auto* map = panel.findChild<panels::PlacementMap*>();
        const int before = map->cellRect(0, 0).width();
        map->zoom(6, map->rect().center());
        QVERIFY(map->cellRect(0, 0).width() > 3 * before);
        QVERIFY(!map->isFitted());
        const QRect held = map->cellRect(10, 30);
        QTest::mousePress(map, Qt::LeftButton, {}, {200, 200});
        QTest::mouseMove(map, {170, 180});
        QTest::mouseMove(map, {160, 170});
        QTest::mouseRelease(map, Qt::LeftButton, {}, {160, 170});
        QVERIFY(map->cellRect(10, 30) != held);
        QCOMPARE(map->selected(), QPoint(-1, -1));
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-zoomed"), {1200, 800}),
                 QStringList());
        QTest::mouseDClick(map, Qt::LeftButton, {}, {200, 200});
        QVERIFY(map->isFitted());
        QTest::keyClick(map, Qt::Key_Plus);
        QVERIFY(!map->isFitted());
        QTest::keyClick(map, Qt::Key_0);
        QVERIFY(map->isFitted());
    }
    void keepsLongNamesInTheirPlace() {
        Bench bench;
        PlacementPanel panel(bench.context);
        const std::string longName(120, 'n');
        protocol::Snapshot snapshot = kimiLoading();
        for (protocol::RankInfo& rank : snapshot.plan.ranks) {
            rank.node = longName + rank.node;
            rank.device = "a device of a " + longName;
        }
        bench.models.applySnapshot(snapshot);
        protocol::SavedPlan saved;
        saved.name = std::string(40, 'p');
        saved.plan.name = "tp4·pp8·ep8";
        bench.models.savedPlans.apply({{saved}});
        Bench::settle(panel, {876, 410});
        std::vector<protocol::SliceInfo> slices = kimiCell();
        for (protocol::SliceInfo& slice : slices)
            slice.tensor = longName + slice.tensor + longName;
        panel.showCell(21, panel.findChild<panels::PlacementMap*>()->grid().rowOfLayer(34));
        emit panel.findChild<panels::PlanRequests*>()->cellKnown(21, 35, slices);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-long-names"), {876, 410}),
                 QStringList());
        QVERIFY(panel.width() <= 876);
        panel.showSide(PlacementPanel::Side::Ledger);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-long-ledger"), {876, 410}),
                 QStringList());
        panel.showSide(PlacementPanel::Side::Plans);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-long-plans"), {876, 410}),
                 QStringList());
    }
    void coloursByKind() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        bench.models.plan.applyCells(cellsOf(kimiPlan()));
        panel.setColourBy(panels::ColourBy::Kind);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-kinds"), {1200, 800}), QStringList());
    }
    void discardTakesTheOrderBackToo() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        const std::string before = whatIf->settings().order;
        whatIf->setOrder(QStringLiteral("pp,tp,dp"));
        QCOMPARE(whatIf->settings().order, std::string("pp,tp,dp"));
        for (widgets::Button* button : whatIf->findChildren<widgets::Button*>()) {
            if (button->text() == QLatin1String("Discard"))
                button->click();
        }
        QCOMPARE(whatIf->settings().order, before);
    }
    void showsALegalProposalUntilItIsDiscarded() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        protocol::PlanInfo other = kimiPlan();
        other.ranks.resize(8);
        other.mesh.pp = 1;
        auto* map = panel.findChild<panels::PlacementMap*>();
        bench.models.plan.propose(other);
        QCOMPARE(map->grid().ranks.size(), std::size_t(8));
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        emit whatIf->discarded();
        QCOMPARE(map->grid().ranks.size(), std::size_t(32));
    }
    void comparesTwoPlans() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        protocol::SavedPlan saved;
        saved.name = "more stages";
        saved.plan.name = "tp4·pp8·ep8";
        bench.models.savedPlans.apply({{saved}});
        panel.showSide(PlacementPanel::Side::Compare);
        protocol::PlanInfo other = kimiPlan();
        other.mesh.tp = 4;
        other.mesh.pp = 8;
        other.predicted.step = 0.0182;
        for (protocol::RankInfo& rank : other.ranks) {
            rank.ledger.kv /= 2;
            rank.ledger.total -= rank.ledger.kv;
        }
        emit panel.findChild<panels::PlanRequests*>()->looked(QStringLiteral("more stages"), other);
        auto* compare = panel.findChild<panels::CompareView*>();
        QCOMPARE(compare->second(), QStringLiteral("more stages"));
        QVERIFY(compare->model().differences() >= 4);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-compare"), {1200, 800}),
                 QStringList());
        panel.showSide(PlacementPanel::Side::Plans);
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-plans"), {1200, 800}), QStringList());
        auto* page = panel.findChild<panels::PlansPage*>();
        auto* name = page->findChild<QLineEdit*>();
        QCOMPARE(name->text(), QStringLiteral("tp8-pp4-ep8"));
        QSignalSpy save(page, &panels::PlansPage::saveRequested);
        name->setText(QStringLiteral("not/a name"));
        QTest::keyClick(name, Qt::Key_Return);
        QCOMPARE(save.count(), 0);
        name->setText(QStringLiteral("night.1"));
        QTest::keyClick(name, Qt::Key_Return);
        QCOMPARE(save.count(), 1);
    }
    void showsHowASearchStands() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        panel.showSide(PlacementPanel::Side::Plans);
        auto* page = panel.findChild<panels::PlansPage*>();
        const auto button = [page](const QString& text) {
            const auto all = page->findChildren<widgets::Button*>();
            const auto found = std::find_if(all.begin(), all.end(),
                                            [&](const auto* each) { return each->text() == text; });
            return found == all.end() ? nullptr : *found;
        };
        QSignalSpy failed(panel.findChild<panels::PlanRequests*>(), &panels::PlanRequests::failed);
        button(QStringLiteral("Search all plans"))->click();
        QCOMPARE(failed.count(), 1);  // nobody is connected
        protocol::SearchProgress progress;
        progress.tried = 412;
        progress.total = 1204;
        progress.legal = 318;
        progress.best = kimiPlan().alternatives;
        std::reverse(progress.best.begin(), progress.best.end());
        const auto stand = [&] { bench.models.plan.applySearch(progress); };
        QCOMPARE(bench.shoot(panel, QStringLiteral("placement-searching"), {1200, 800}, stand),
                 QStringList());
        QSignalSpy cancelled(page, &panels::PlansPage::searchCancelled);
        button(QStringLiteral("Cancel the search"))->click();
        QCOMPARE(cancelled.count(), 1);
        progress.done = true;
        progress.seconds = 1.25;
        stand();
        QVERIFY(button(QStringLiteral("Search all plans")) != nullptr);
        emit page->planChosen(progress.best.front());
        QCOMPARE(panel.findChild<panels::WhatIf*>()->settings().tp, progress.best.front().mesh.tp);
    }
    void offersTheNearestLegalPlan() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        protocol::PlanInfo refused = smollmRefused();
        protocol::AlternativeInfo near;
        near.mesh = {1, 2, 1, 3};
        near.name = "tp3·pp2";
        refused.nearest.push_back(near);
        whatIf->setNumber(QStringLiteral("tp"), 2);
        whatIf->setAnswer(&refused);
        auto* button = whatIf->findChild<widgets::Button*>(QStringLiteral("commit"));
        QCOMPARE(button->text(), QStringLiteral("Use nearest: tp3·pp2"));
        button->click();
        QCOMPARE(whatIf->settings().tp, 3);
        QCOMPARE(whatIf->settings().pp, 2);
    }
    void pullsContextAndSequences() {
        Bench bench;
        PlacementPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        auto* whatIf = panel.findChild<panels::WhatIf*>();
        const auto sliders = whatIf->findChildren<panels::LogSlider*>();
        QCOMPARE(sliders.size(), 2);
        QSignalSpy asked(whatIf, &panels::WhatIf::proposed);
        for (const int amount : {8, 16, 32, 64})
            emit sliders[1]->amountChosen(amount);
        QCOMPARE(whatIf->settings().maxSequences, 64);
        QVERIFY(asked.wait(2000));
        QCOMPARE(asked.count(), 1);  // one question, however far it was pulled
        sliders[0]->setAmounts(1024, 131072);
        sliders[0]->setAmount(49152);
        QCOMPARE(sliders[0]->amount(), 49152);
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
