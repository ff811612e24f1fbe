// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/placement/placement_grid.cpp
#include "ui/panels/placement/placement_grid.h"

#include <QTest>

#include "tests/ui/panels/tests.h"
#include "tests/ui/support/placement_parts.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using panels::ColourBy;
using panels::placementGrid;
using panels::PlacementGrid;

class PlacementGridTest : public QObject {
    Q_OBJECT

private slots:
    void putsEachLayerOnItsRanks() {
        const PlacementGrid grid = placementGrid(kimiPlan(), nullptr, ColourBy::Bytes);
        QCOMPARE(grid.layers, 61);
        QCOMPARE(grid.rows(), 63);
        QCOMPARE(grid.nodes.size(), std::size_t(4));
        QCOMPARE(grid.boundaries.size(), std::size_t(3));
        QCOMPARE(grid.boundaries[1].layer, 31);
        QVERIFY(grid.at(16, grid.rowOfLayer(34)).present);
        QVERIFY(!grid.at(0, grid.rowOfLayer(34)).present);
        QVERIFY(grid.at(0, 0).present);
        QVERIFY(grid.at(31, 62).present);
        QCOMPARE(grid.layerOf(grid.rowOfLayer(34)), 34);
        QVERIFY(grid.at(0, grid.rowOfLayer(0)).bytes < grid.most / 4);
    }
    void coversAPlanWithoutARank() {
        QCOMPARE(placementGrid({}, nullptr, ColourBy::Bytes).rows(), 0);
    }
    void coloursByKindOnceCellsAreKnown() {
        const protocol::PlanInfo plan = kimiPlan();
        QVERIFY(placementGrid(plan, nullptr, ColourBy::Kind).categories.empty());
        const models::PlacementCells cells = cellsOf(plan);
        const PlacementGrid kinds = placementGrid(plan, &cells, ColourBy::Kind);
        QCOMPARE(kinds.categories.front(), QStringLiteral("routed experts"));
        QCOMPARE(kinds.at(16, kinds.rowOfLayer(34)).category, 0);
        QCOMPARE(kinds.categories[std::size_t(kinds.at(0, kinds.rowOfLayer(0)).category)],
                 QStringLiteral("dense mlp"));
        QCOMPARE(kinds.at(0, kinds.rowOfLayer(34)).category, -1);
        const PlacementGrid types = placementGrid(plan, &cells, ColourBy::Dtype);
        QCOMPARE(types.categories.front(), QStringLiteral("int4"));
        QCOMPARE(types.at(16, types.rowOfLayer(34)).category, 0);
    }
    void leavesCellsOfAnotherPlanAside() {
        const protocol::PlanInfo plan = kimiPlan();
        models::PlacementCells cells = cellsOf(plan);
        cells.layers = 12;
        QVERIFY(placementGrid(plan, &cells, ColourBy::Kind).categories.empty());
        cells = cellsOf(plan);
        cells.ranks = 8;
        QVERIFY(placementGrid(plan, &cells, ColourBy::Kind).categories.empty());
    }
};

std::unique_ptr<QObject> placementGridTest() {
    return std::make_unique<PlacementGridTest>();
}

}  // namespace fl::test

#include "placement_grid_test.moc"
