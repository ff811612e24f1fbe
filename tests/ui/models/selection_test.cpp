// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/selection.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class SelectionTest : public QObject {
    Q_OBJECT

private slots:
    void tellsEachChoiceOnce() {
        Selection selection;
        QSignalSpy ranks(&selection, &Selection::rankSelected);
        selection.selectRank(3);
        selection.selectRank(3);
        QCOMPARE(ranks.count(), 1);
        QCOMPARE(selection.rank(), 3);
    }
    void forgetsEverythingOnClear() {
        Selection selection;
        selection.selectGroup(QStringLiteral("tp1"));
        selection.selectFinding(2);
        selection.selectTensor(QStringLiteral("norm"));
        selection.clear();
        QVERIFY(selection.group().isEmpty());
        QCOMPARE(selection.finding(), -1);
        QVERIFY(selection.tensor().isEmpty());
    }
};

std::unique_ptr<QObject> selectionTest() {
    return std::make_unique<SelectionTest>();
}

}  // namespace fl::test

#include "selection_test.moc"
