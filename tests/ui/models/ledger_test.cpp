// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ledger.h"

#include <numeric>

#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class LedgerTest : public QObject {
    Q_OBJECT

private slots:
    void sumsToTheTotal() {
        const protocol::LedgerInfo ledger = kimiPlan().ranks[0].ledger;
        const auto parts = ledgerParts(ledger);
        QCOMPARE(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), ledger.total);
    }
    void startsWithWeightsAndEndsWithStaging() {
        protocol::LedgerInfo ledger;
        ledger.weights = 3;
        ledger.staging = 5;
        QCOMPARE(ledgerParts(ledger).front(), 3);
        QCOMPARE(ledgerParts(ledger).back(), 5);
    }
};

std::unique_ptr<QObject> ledgerTest() {
    return std::make_unique<LedgerTest>();
}

}  // namespace fl::test

#include "ledger_test.moc"
