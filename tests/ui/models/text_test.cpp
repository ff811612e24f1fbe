// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/text.h"

#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class TextTest : public QObject {
    Q_OBJECT

private slots:
    void writesSizesWithBinaryUnits() {
        QCOMPARE(bytesText(75LL << 20), QStringLiteral("75.0 MiB"));
        QCOMPARE(rateText(3.43 * (1 << 30)), QStringLiteral("3.43 GiB/s"));
    }
    void picksOneUnitForAColumn() {
        QCOMPARE(unitOf(3LL << 30), QStringLiteral("GiB"));
        QCOMPARE(unitOf(5LL << 20), QStringLiteral("MiB"));
        QCOMPARE(bytesIn(1536LL << 20, QStringLiteral("GiB")), QStringLiteral("1.5"));
        QCOMPARE(bytesIn(512, QStringLiteral("KiB")), QStringLiteral("0.5"));
    }
    void joinsConsecutiveNumbers() {
        QCOMPARE(rangesText({0, 1, 2, 5}), QStringLiteral("0–2, 5"));
        QCOMPARE(rangesText({3, 4}), QStringLiteral("3, 4"));
        QCOMPARE(rangesText({}), QString());
    }
};

std::unique_ptr<QObject> textTest() {
    return std::make_unique<TextTest>();
}

}  // namespace fl::test

#include "text_test.moc"
