// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/placement/placement_grid.cpp
#include "ui/panels/placement/placement_grid.h"

#include <QTest>

#include "tests/ui/panels/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using panels::ColourBy;
using panels::placementGrid;
using panels::PlacementGrid;

class PlacementGridTest : public QObject {
    Q_OBJECT

private slots:
    void putsEachLayerOnItsRanks() {
        models::PlanModel plan;
        plan.apply(kimiPlan());
        const PlacementGrid grid = placementGrid(plan, ColourBy::Bytes);
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
        models::PlanModel plan;
        QCOMPARE(placementGrid(plan, ColourBy::Bytes).rows(), 0);
    }
    void coloursByKindOnceSlicesAreKnown() {
        models::PlanModel plan;
        plan.apply(smollmPlan());
        QVERIFY(placementGrid(plan, ColourBy::Kind).categories.empty());
        plan.applySlices(0, {smollmSlices(0)});
        const PlacementGrid grid = placementGrid(plan, ColourBy::Kind);
        QCOMPARE(grid.categories.front(), QStringLiteral("dense_mlp"));
        QCOMPARE(grid.at(0, grid.rowOfLayer(3)).category, 0);
        QCOMPARE(grid.at(1, grid.rowOfLayer(3)).category, -1);
    }
};

std::unique_ptr<QObject> placementGridTest() {
    return std::make_unique<PlacementGridTest>();
}

}  // namespace fl::test

#include "placement_grid_test.moc"
