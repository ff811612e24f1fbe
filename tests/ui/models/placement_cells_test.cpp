// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/placement_cells.h"

#include <QTest>

#include "engine/base/base64.h"
#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static std::string base64(const std::string& bytes) {
    return encodeBase64(std::as_bytes(std::span(bytes)));
}

// Two ranks, one layer: rank 0 holds the embedding and the layer, rank 1 the head.
static protocol::PlanCells smallCells() {
    protocol::PlanCells cells;
    cells.ranks = 2;
    cells.layers = 1;
    cells.kinds = {"embedding", "dense_mlp", "head"};
    cells.dtypes = {"BF16", "F8_E4M3"};
    cells.count = 3;
    cells.rank = base64(std::string("\0\0\0\0\1\0", 6));
    cells.row = base64(std::string("\0\0\1\0\2\0", 6));
    cells.kind = base64(std::string("\0\1\2", 3));
    cells.dtype = base64(std::string("\0\1\0", 3));
    cells.bytes = base64(std::string("\0\1\0\0\0\0\0\0\x2A\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24));
    return cells;
}

class PlacementCellsTest : public QObject {
    Q_OBJECT

private slots:
    void readsColumns() {
        const auto cells = placementCells(smallCells());
        QVERIFY(cells);
        QCOMPARE(cells->rows(), 3);
        QCOMPARE(cells->at(0, 0).bytes, 256);
        QCOMPARE(cells->at(0, 1).bytes, 42);
        QCOMPARE(cells->kinds[std::size_t(cells->at(0, 1).kind)], QStringLiteral("dense mlp"));
        QCOMPARE(cells->dtypes[std::size_t(cells->at(0, 1).dtype)], QStringLiteral("F8_E4M3"));
        QCOMPARE(cells->at(1, 2).bytes, std::int64_t{1} << 32);
        QCOMPARE(cells->at(1, 0).bytes, 0);
        QCOMPARE(cells->at(1, 0).kind, -1);
    }
    void refusesColumnsThatLie() {
        protocol::PlanCells cells = smallCells();
        cells.count = 2;
        QVERIFY(!placementCells(cells));
        cells = smallCells();
        cells.layers = 0;  // row 2 is behind the end
        QVERIFY(!placementCells(cells));
        cells = smallCells();
        cells.kinds.pop_back();
        QVERIFY(!placementCells(cells));
        cells = smallCells();
        cells.ranks = 1 << 30;
        cells.layers = 1 << 30;
        QVERIFY(!placementCells(cells));
        cells = smallCells();
        cells.bytes = base64(std::string(24, '\xFF'));  // negative
        QVERIFY(!placementCells(cells));
    }
};

std::unique_ptr<QObject> placementCellsTest() {
    return std::make_unique<PlacementCellsTest>();
}

}  // namespace fl::test

#include "placement_cells_test.moc"
