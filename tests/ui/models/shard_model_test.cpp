// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/shard_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::LoadProgress progress(int rank, const std::string& file, std::int64_t done) {
    return {rank, 0, 10, done, 100, 0, file};
}

class ShardModelTest : public QObject {
    Q_OBJECT

private slots:
    void showsWhatInspectFound() {
        ShardModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.apply(kimiCensus());
        QCOMPARE(model.rowCount(), 64);
        QCOMPARE(model.countOf(QStringLiteral("checked")), 63);
        QCOMPARE(model.index(36, 0).data(ShardModel::StateRole).toString(),
                 QStringLiteral("warning"));
    }
    void isReadWhenAllRanksArePast() {
        ShardModel model;
        const protocol::Census census = kimiCensus();
        const auto state = [&](int row) {
            return model.index(row, 0).data(ShardModel::StateRole).toString();
        };
        model.apply(census);
        model.applyLoad(progress(0, census.shards[0].file, 1));
        model.applyLoad(progress(1, census.shards[20].file, 1));
        model.applyLoad(progress(0, census.shards[2].file, 50));
        model.applyLoad(progress(1, census.shards[21].file, 50));
        QCOMPARE(state(0), QStringLiteral("read"));
        QCOMPARE(state(2), QStringLiteral("reading"));
        QCOMPARE(state(3), QStringLiteral("waiting"));
        QCOMPARE(state(20), QStringLiteral("read"));
        QCOMPARE(state(21), QStringLiteral("reading"));
        model.applyLoad(progress(1, census.shards[21].file, 100));
        QCOMPARE(state(21), QStringLiteral("read"));
    }
    void fillsASingleFileByBytes() {
        ShardModel model;
        model.apply(smollmCensus());
        model.applyLoad(progress(0, smollmCensus().shards[0].file, 25));
        QCOMPARE(model.index(0, 0).data(ShardModel::FractionRole).toDouble(), 0.25);
        model.forgetLoad();
        QCOMPARE(model.countOf(QStringLiteral("checked")), 1);
    }
    void ignoresProgressWithoutACensus() {
        ShardModel model;
        model.applyLoad(progress(0, "a", 1));
        QCOMPARE(model.rowCount(), 0);
    }
};

std::unique_ptr<QObject> shardModelTest() {
    return std::make_unique<ShardModelTest>();
}

}  // namespace fl::test

#include "shard_model_test.moc"
