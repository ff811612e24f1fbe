// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: ui/panels/placement/map_view.cpp ui/panels/placement/map_image.cpp
#include "ui/panels/placement/map_view.h"

#include <QTest>

#include "tests/ui/panels/tests.h"
#include "ui/panels/placement/map_image.h"

namespace fl::test {

using panels::ColourBy;
using panels::mapImage;
using panels::MapView;
using panels::PlacementGrid;

static const QRect kViewport(48, 24, 400, 300);

static MapView shown(int columns, int rows, bool edges = true) {
    MapView view;
    view.setShape({columns, rows, edges, edges}, kViewport, 5);
    return view;
}

static PlacementGrid filled(int columns, int layers) {
    PlacementGrid grid;
    grid.layers = layers;
    for (int rank = 0; rank < columns; ++rank)
        grid.ranks.push_back(rank);
    grid.cells.resize(std::size_t(columns * layers));
    grid.most = 100;
    return grid;
}

class MapViewTest : public QObject {
    Q_OBJECT

private slots:
    void fitsAnyNumberOfRanks() {
        for (const int columns : {1, 6, 32, 256, 1024}) {
            for (const int rows : {3, 32, 95, 400}) {
                const MapView view = shown(columns, rows);
                QVERIFY(view.isFitted());
                QVERIFY(kViewport.contains(view.cell(columns - 1, rows - 1).topLeft()));
                QVERIFY(view.cell(columns - 1, 0).left() <= kViewport.right());
                QVERIFY(view.content().width() <= kViewport.width());
            }
        }
    }
    // Every pixel of a cell leads back to it, whatever the zoom.
    void findsTheCellUnderThePointer() {
        MapView view = shown(40, 63);
        for (const double factor : {1.0, 1.7, 2.5, 1.3}) {
            view.zoom(factor, {200, 150});
            for (int row = 0; row < 63; row += 7) {
                for (int column = 0; column < 40; column += 3) {
                    const QRect box = view.cell(column, row);
                    for (const QPoint& corner : {box.topLeft(), box.center(), box.bottomRight()}) {
                        if (view.content().contains(corner))
                            QCOMPARE(view.cellAt(corner), QPoint(column, row));
                    }
                }
            }
        }
        QCOMPARE(view.cellAt({0, 0}), QPoint(-1, -1));
    }
    void leavesTheGapsBesideTheEdgeRowsEmpty() {
        const MapView view = shown(10, 12);
        const int below = view.cell(3, 0).bottom() + 2;
        QCOMPARE(view.cellAt({view.cell(3, 0).center().x(), below}), QPoint(-1, -1));
        QVERIFY(view.top(1) - view.cell(0, 0).bottom() > 5);
        QVERIFY(view.top(11) - view.cell(0, 10).bottom() > 5);
    }
    void keepsWhatIsUnderThePointerWhenItZooms() {
        MapView view = shown(256, 95);
        const QPoint about(300, 200);
        const QPoint before = view.cellAt(about);
        view.zoom(3, about);
        QVERIFY(!view.isFitted());
        QVERIFY((view.cellAt(about) - before).manhattanLength() <= 2);
        QVERIFY(view.cellWidth() > 4);
        QCOMPARE(view.cellWidth(), std::floor(view.cellWidth()));
        for (int i = 0; i < 40; ++i)
            view.zoom(1.25, about);
        QCOMPARE(view.cell(3, 3).size(), QSize(160, 64));
        for (int i = 0; i < 60; ++i)
            view.zoom(0.8, about);
        QVERIFY(view.isFitted());
    }
    void scrollsNoFurtherThanItsCells() {
        MapView view = shown(64, 63);
        view.pan({500, 500});
        QCOMPARE(view.left(0), kViewport.left());
        view.zoom(4, kViewport.center());
        view.pan({-100000, -100000});
        QCOMPARE(view.cell(63, 62).right(), kViewport.right());
        view.reveal(0, 0);
        QVERIFY(kViewport.contains(view.cell(0, 0)));
    }
    void keepsItsZoomWhileTheShapeStays() {
        MapView view = shown(64, 63);
        view.zoom(3, kViewport.center());
        const double width = view.cellWidth();
        view.setShape({64, 63, true, true}, kViewport.adjusted(0, 0, 50, 0), 5);
        QCOMPARE(view.cellWidth(), width);
        view.setShape({32, 63, true, true}, kViewport, 5);
        QVERIFY(view.isFitted());
    }
    void paintsCellsInTheirColours() {
        const widgets::Theme theme;
        PlacementGrid grid = filled(10, 12);
        grid.at(2, 3) = {true, 100, -1};
        grid.at(7, 3) = {true, 0, -1};
        MapView view;
        view.setShape({10, 12, false, false}, kViewport, 5);
        const QImage image = mapImage(grid, ColourBy::Bytes, view, theme, 1);
        const auto at = [&](int column, int row) {
            return image.pixelColor(view.cell(column, row).center() - kViewport.topLeft());
        };
        QCOMPARE(at(2, 3), cellColor(grid.at(2, 3), grid, ColourBy::Bytes, theme));
        QCOMPARE(at(7, 3), theme.sequential(0));
        QCOMPARE(at(5, 5), theme.color(widgets::Token::Bg0));
        // The last pixel of a cell is its gap.
        QCOMPARE(image.pixelColor(view.cell(2, 3).bottomRight() - kViewport.topLeft()),
                 theme.color(widgets::Token::Bg0));
        const QImage fine = mapImage(grid, ColourBy::Bytes, view, theme, 2);
        QCOMPARE(fine.width(), 2 * image.width());
        QCOMPARE(fine.pixelColor(2 * (view.cell(2, 3).center() - kViewport.topLeft())), at(2, 3));
    }
    void showsTypesByCategoryAndUnknownOnesMarked() {
        const widgets::Theme theme;
        PlacementGrid grid = filled(10, 12);
        grid.categories = {QStringLiteral("a"), QStringLiteral("b")};
        grid.at(0, 0) = {true, 5, 1};
        grid.at(1, 0) = {true, 5, -1};
        MapView view;
        view.setShape({10, 12, false, false}, kViewport, 5);
        const QImage image = mapImage(grid, ColourBy::Kind, view, theme, 1);
        const QRect known = view.cell(0, 0).translated(-kViewport.topLeft());
        const QRect unknown = view.cell(1, 0).translated(-kViewport.topLeft());
        QCOMPARE(image.pixelColor(known.center()), theme.seriesArea(2));
        QCOMPARE(image.pixelColor(unknown.topLeft()), theme.color(widgets::Token::Bg3));
        QCOMPARE(image.pixelColor(unknown.bottomLeft() - QPoint(0, 1)),
                 theme.color(widgets::Token::Line2));
    }
};

std::unique_ptr<QObject> mapViewTest() {
    return std::make_unique<MapViewTest>();
}

}  // namespace fl::test

#include "map_view_test.moc"
