// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/framed_panel.cpp ui/panels/topology/
#include "ui/panels/topology/topology_panel.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/panels/bench.h"
#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/panels/topology/node_item.h"
#include "ui/panels/topology/topology_view.h"
#include "ui/widgets/button.h"

namespace fl::test {

using panels::TopologyPanel;

class TopologyPanelTest : public QObject {
    Q_OBJECT

private slots:
    void teachesWhileEmpty() {
        Bench bench;
        TopologyPanel panel(bench.context);
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-empty"), {876, 410}), QStringList());
    }
    void showsOneNodeOfSixCards() {
        Bench bench;
        TopologyPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-6-cards"), {876, 410}), QStringList());
        QCOMPARE(panel.lit().name, QStringLiteral("tp0"));
    }
    void showsFourNodesOfEight() {
        Bench bench;
        TopologyPanel panel(bench.context);
        bench.models.applySnapshot(kimiLoading());
        bench.models.selection.selectGroup(QStringLiteral("tp1"));
        QSignalSpy badge(&panel, &panels::Panel::badgeChanged);
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-4x8"), {876, 410}), QStringList());
        QVERIFY(!badge.isEmpty());
        QCOMPARE(badge.last().first().toInt(), 1);
    }
    void saysWhichRankDied() {
        Bench bench;
        TopologyPanel panel(bench.context);
        bench.models.applySnapshot(kimiFailed());
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-failed"), {876, 410}), QStringList());
        QCOMPARE(panel.measure(), panels::TopologyMeasure::State);
        QVERIFY(panel.lit().kind.isEmpty());
        bench.models.applySnapshot(smollmPlanned());
        Bench::settle(panel, {876, 410});
        QCOMPARE(panel.measure(), panels::TopologyMeasure::Memory);
    }
    void lightsTheGroupOfAChosenCard() {
        Bench bench;
        TopologyPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        Bench::settle(panel, {876, 410});
        auto* view = panel.findChild<panels::TopologyView*>();
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(bench.models.selection.rank(), 0);
        emit view->rankClicked(4);
        QCOMPARE(panel.lit().name, QStringLiteral("tp1"));
        QCOMPARE(bench.models.selection.group(), QStringLiteral("tp1"));
        emit view->rankClicked(-1);
        QVERIFY(panel.lit().name.isEmpty());
        panel.reveal(QStringLiteral("rank 2"));
        QCOMPARE(bench.models.selection.rank(), 2);
    }
    void exportsPngAndSvg() {
        Bench bench;
        TopologyPanel panel(bench.context);
        bench.models.applySnapshot(smollmServing());
        Bench::settle(panel, {876, 410});
        const QTemporaryDir folder;
        QVERIFY(panel.exportTo(folder.filePath(QStringLiteral("t.png"))));
        QVERIFY(panel.exportTo(folder.filePath(QStringLiteral("t.svg"))));
        QVERIFY(!panel.exportTo(folder.filePath(QStringLiteral("none/t.png"))));
    }
    void drawsTheNodesOfALitGroupApart() {
        Bench bench;
        TopologyPanel panel(bench.context);
        protocol::Snapshot snapshot = kimiLoading();
        std::vector<protocol::NodeInfo>& nodes = snapshot.topology.nodes;
        const protocol::NodeInfo one = nodes.front();
        for (int node = int(nodes.size()); node < 24; ++node) {
            nodes.push_back(one);
            nodes.back().name = "node" + std::to_string(node);
            for (std::size_t i = 0; i < one.devices.size(); ++i)
                nodes.back().devices[i].rank = node * int(one.devices.size()) + int(i);
        }
        const int cards = int(one.devices.size());
        for (protocol::GroupInfo& group : snapshot.topology.groups) {
            group.crossesSlow = group.name == "pp0";
            if (group.crossesSlow)
                group.ranks = {cards * 9, cards * 20 + 1};
        }
        bench.models.applySnapshot(snapshot);
        const auto drawn = [&panel] {
            int boxes = 0;
            for (const QGraphicsItem* item : panel.findChild<QGraphicsView*>()->scene()->items())
                boxes += dynamic_cast<const panels::NodeItem*>(item) != nullptr ? 1 : 0;
            return boxes;
        };
        Bench::settle(panel, {876, 500});
        bench.models.selection.selectGroup(QString());
        const int folded = drawn();
        QVERIFY(folded < 24);
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-folded-group"), {876, 500},
                             [&] { bench.models.selection.selectGroup(QStringLiteral("pp0")); }),
                 QStringList());
        QCOMPARE(drawn(), folded + 2);
        bench.models.selection.selectGroup(QStringLiteral("tp0"));
        QVERIFY(drawn() < folded + 2);
    }
    void offersABetterOrderForAMarkedGroup() {
        Bench bench;
        TopologyPanel panel(bench.context);
        protocol::Snapshot snapshot = kimiLoading();
        for (protocol::GroupInfo& group : snapshot.topology.groups) {
            group.crossesSlow = group.kind == "pp";
            group.stepSeconds = 0.0042;
        }
        snapshot.topology.order = "tp,pp,dp";
        snapshot.topology.orders = {{"pp,tp,dp", 0.0146, 0.002}};
        snapshot.topology.gain = 0.0036;
        bench.models.applySnapshot(snapshot);
        QSignalSpy asked(&panel, &panels::Panel::panelRequested);
        QCOMPARE(bench.shoot(panel, QStringLiteral("topology-slow-group"), {876, 500},
                             [&] { bench.models.selection.selectGroup(QStringLiteral("pp0")); }),
                 QStringList());
        for (auto* button : panel.findChildren<widgets::Button*>()) {
            if (button->text() == QLatin1String("Try this order"))
                button->click();
        }
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first()[1].toString(), QStringLiteral("order pp,tp,dp"));
    }
};

std::unique_ptr<QObject> topologyPanelTest() {
    return std::make_unique<TopologyPanelTest>();
}

}  // namespace fl::test

#include "topology_panel_test.moc"
