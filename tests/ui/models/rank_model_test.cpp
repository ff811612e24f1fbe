// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rank_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::RankState rank(int number, const char* phase) {
    protocol::RankState state;
    state.rank = number;
    state.phase = phase;
    return state;
}

class RankModelTest : public QObject {
    Q_OBJECT

private slots:
    void keepsRowsInOrderOfRank() {
        RankModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.apply(rank(5, "mpi"));
        model.apply(rank(1, "ready"));
        model.apply(rank(5, "ready"));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data().toInt(), 1);
        QCOMPARE(model.countIn(QStringLiteral("ready")), 2);
        QVERIFY(model.state(2) == nullptr);
    }
    void showsHowFarARankHasLoaded() {
        RankModel model;
        model.applyLoad({3, 1, 4, 25, 100, 1e9, ""});
        QCOMPARE(model.index(0, RankModel::LoadedColumn).data().toString(), QStringLiteral("25 %"));
        QCOMPARE(model.load(3)->bytesDone, 25);
        QVERIFY(model.load(4) == nullptr);
    }
    void marksTheLostRank() {
        RankModel model;
        QSignalSpy lost(&model, &RankModel::rankLost);
        model.applyLost(kimiFailed().lost);
        QCOMPARE(lost.count(), 1);
        QCOMPARE(model.state(13)->phase, std::string("lost"));
        QCOMPARE(model.lost()->rank, 13);
        model.reset();
        QVERIFY(model.lost() == nullptr);
        QCOMPARE(model.rowCount(), 0);
    }
    void saysWhatHappenedInOneSentence() {
        protocol::RankLost lost = kimiFailed().lost;
        QCOMPARE(lostSentence(lost),
                 QStringLiteral(
                     "Rank 13 died during Launch: signal 7 (SIGBUS), 12.4 s after its start"));
        QCOMPARE(lostWord(lost), QStringLiteral("SIGBUS"));
        lost.signal = 0;
        lost.cause = "silent for 3.0 s";
        QVERIFY(lostSentence(lost).startsWith(QStringLiteral("Rank 13 fell silent")));
        QCOMPARE(lostWord(lost), QStringLiteral("silent"));
        lost.cause = "exit code 3";
        QCOMPARE(lostWord(lost), QStringLiteral("exit 3"));
    }
};

std::unique_ptr<QObject> rankModelTest() {
    return std::make_unique<RankModelTest>();
}

}  // namespace fl::test

#include "rank_model_test.moc"
