// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/slice_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using models::SliceModel;

class SliceModelTest : public QObject {
    Q_OBJECT

private slots:
    void listsSlicesLargestFirst() {
        SliceModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<protocol::SliceInfo> layer;
        std::int64_t bytes = 0;
        for (const auto& slice : smollmSlices(1)) {
            if (slice.layer != 4)
                continue;
            layer.push_back(slice);
            bytes += slice.bytes;
        }
        model.show(layer);
        QCOMPARE(model.rowCount(), 9);
        QVERIFY(model.index(0, 0).data().toString().startsWith(QStringLiteral("ffn")));
        QCOMPARE(model.bytes(), bytes);
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
    void saysHowATensorIsCut() {
        protocol::SliceInfo slice;
        QCOMPARE(models::cutText(slice), QStringLiteral("whole"));
        slice.axis = 0;
        slice.begin = 192;
        slice.end = 384;
        QCOMPARE(models::cutText(slice), QStringLiteral("rows 192–383"));
        slice.axis = 1;
        QCOMPARE(models::cutText(slice), QStringLiteral("columns 192–383"));
        slice.firstExpert = 48;
        slice.expertCount = 48;
        QCOMPARE(models::cutText(slice), QStringLiteral("experts 48–95"));
    }
};

std::unique_ptr<QObject> sliceModelTest() {
    return std::make_unique<SliceModelTest>();
}

}  // namespace fl::test

#include "slice_model_test.moc"
