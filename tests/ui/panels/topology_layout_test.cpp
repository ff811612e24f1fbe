// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/topology/topology_layout.cpp ui/panels/topology/node_text.cpp
#include "ui/panels/topology/topology_layout.h"

#include <QTest>

#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"
#include "ui/models/models.h"
#include "ui/panels/topology/node_text.h"

namespace fl::test {

using panels::layOut;
using panels::TopologyLayout;

static bool overlaps(const TopologyLayout& layout) {
    for (std::size_t a = 0; a < layout.nodes.size(); ++a) {
        if (layout.nodes[a].box.intersects(layout.fabric))
            return true;
        for (std::size_t b = a + 1; b < layout.nodes.size(); ++b) {
            if (layout.nodes[a].box.intersects(layout.nodes[b].box))
                return true;
        }
        for (const QRectF& card : layout.nodes[a].cards) {
            if (!layout.nodes[a].box.contains(card))
                return true;
        }
    }
    return false;
}

static protocol::Topology many(int nodes) {
    protocol::Topology topology = kimiTopology();
    const protocol::NodeInfo first = topology.nodes.front();
    topology.nodes.assign(std::size_t(nodes), first);
    topology.links.clear();
    for (int node = 0; node < nodes; ++node)
        topology.links.push_back({"network", node, -1, -1, -1, 50e9, 48e9});
    return topology;
}

class TopologyLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void neverOverlaps_data() {
        QTest::addColumn<int>("nodes");
        for (const int nodes : {1, 2, 3, 4, 5, 6, 8, 16, 128})
            QTest::addRow("%d", nodes) << nodes;
    }
    void neverOverlaps() {
        QFETCH(int, nodes);
        panels::LayoutOptions options;
        options.fold = false;
        const TopologyLayout layout = layOut(many(nodes), options);
        QCOMPARE(int(layout.nodes.size()), nodes);
        QVERIFY(!overlaps(layout));
        QCOMPARE(layout.fabric.isNull(), nodes == 1);
        for (const panels::WireLabel& label : layout.labels)
            QVERIFY(!label.box.intersects(layout.fabric));
    }
    void foldsEqualNodesButNotTheOneThatFailed() {
        panels::LayoutOptions options;
        const TopologyLayout all = layOut(many(128), options);
        QCOMPARE(all.nodes.size(), std::size_t(1));
        QCOMPARE(all.nodes.front().folded, 128);
        options.keep = {77};
        const TopologyLayout kept = layOut(many(128), options);
        QCOMPARE(kept.nodes.size(), std::size_t(2));
        QCOMPARE(kept.nodes.back().node, 77);
        QCOMPARE(layOut(many(4), {}).nodes.size(), std::size_t(4));
    }
    void placesSixCardsInTwoRowsOfAStageEach() {
        models::Models models;
        models.applySnapshot(smollmServing());
        QVERIFY(panels::rowsAreStages(models));
        panels::LayoutOptions options;
        options.captions = true;
        const TopologyLayout layout = layOut(smollmTopology(), options);
        QCOMPARE(layout.nodes.front().columns, 3);
        QCOMPARE(layout.nodes.front().rows, 2);
        const panels::NodeText text =
            panels::nodeText(models, layout.nodes.front(), panels::TopologyMeasure::Memory);
        QCOMPARE(text.captions.at(1), QStringLiteral("PP 1 · layers 14–29"));
        QCOMPARE(text.kind, QStringLiteral("6 × CPU card, 512 MiB"));
        QCOMPARE(text.linkRate, QStringLiteral("18.4 GB/s"));
    }
    void drawsAtMostFourWiresANode() {
        protocol::Topology topology = kimiTopology();
        for (int i = 0; i < 10; ++i)
            topology.links.push_back({"network", 0, -1, -1, -1, 50e9, 48e9});
        const TopologyLayout layout = layOut(topology, {});
        QCOMPARE(std::count_if(layout.wires.begin(), layout.wires.end(),
                               [](const auto& wire) { return wire.node == 0; }),
                 4);
    }
    void laysOutNothingForNothing() {
        QVERIFY(layOut({}, {}).nodes.empty());
        protocol::Topology bare;
        bare.nodes.resize(1);
        QCOMPARE(layOut(bare, {}).nodes.size(), std::size_t(1));
    }
};

std::unique_ptr<QObject> topologyLayoutTest() {
    return std::make_unique<TopologyLayoutTest>();
}

}  // namespace fl::test

#include "topology_layout_test.moc"
