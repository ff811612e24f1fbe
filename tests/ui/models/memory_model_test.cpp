// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/memory_model.h"

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::MemorySample sample(int rank, std::int64_t total) {
    protocol::MemorySample value;
    value.time = 1;
    value.rank = rank;
    value.used.weights = value.used.total = total;
    value.peak = total + 1;
    return value;
}

class MemoryModelTest : public QObject {
    Q_OBJECT

private slots:
    void putsMeasuredBesidePlanned() {
        MemoryModel model;
        model.applyPlan(smollmPlan());
        QVERIFY(!model.measured());
        model.applySample(sample(2, 100));
        QVERIFY(model.measured());
        QCOMPARE(model.rank(2)->used.total, 100);
        QVERIFY(model.rank(2)->planned.total > 0);
        QCOMPARE(model.rank(2)->budget, 512LL << 20);
        QCOMPARE(model.peak(), 101);
        QCOMPARE(model.largestBudget(), 512LL << 20);
    }
    void keepsSamplesOfRanksThatStay() {
        MemoryModel model;
        model.applyPlan(smollmPlan());
        model.applySample(sample(2, 100));
        model.applyPlan(smollmPlan());
        QCOMPARE(model.rank(2)->used.total, 100);
        QCOMPARE(model.ranks().size(), std::size_t(6));
    }
    void takesARankThatIsNotPlanned() {
        MemoryModel model;
        QSignalSpy changed(&model, &MemoryModel::changed);
        model.applySample(sample(7, 5));
        QCOMPARE(model.rank(7)->used.total, 5);
        QVERIFY(model.rank(0) == nullptr);
        QCOMPARE(changed.count(), 1);
    }
    void forgetsSamplesButNotThePlan() {
        MemoryModel model;
        model.applyPlan(smollmPlan());
        model.applySample(sample(0, 9));
        model.forgetSamples();
        QVERIFY(!model.measured());
        QCOMPARE(model.peak(), 0);
        QVERIFY(model.rank(0)->planned.total > 0);
        model.reset();
        QVERIFY(model.empty());
    }
};

std::unique_ptr<QObject> memoryModelTest() {
    return std::make_unique<MemoryModelTest>();
}

}  // namespace fl::test

#include "memory_model_test.moc"
