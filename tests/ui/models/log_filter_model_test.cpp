// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_filter_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "ui/models/log_model.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static void fill(LogModel& log) {
    log.appendAll({{1, 0, "info", "load", "Shard 24 of 64 closed"},
                   {2, 1, "warning", "comm", "214 packets sent again"},
                   {3, -1, "error", "service", "rank 1 lost"},
                   {4, 1, "debug", "load", "shard 58 opened"}});
}

class LogFilterModelTest : public QObject {
    Q_OBJECT

private slots:
    void filtersByRankLevelAndCategory() {
        LogModel log;
        LogFilterModel filter(&log);
        const QAbstractItemModelTester tester(
            &filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        fill(log);
        QCOMPARE(filter.rowCount(), 4);
        filter.setRank(1);
        QCOMPARE(filter.rowCount(), 2);
        filter.setLeastLevel(QStringLiteral("info"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setRank(-1);
        QCOMPARE(filter.rowCount(), 1);
        filter.setRank(std::nullopt);
        QCOMPARE(filter.rowCount(), 3);
        filter.setCategory(QStringLiteral("comm"));
        QCOMPARE(filter.rowCount(), 1);
    }
    void takesWordsAndWordsNotToShow() {
        LogModel log;
        LogFilterModel filter(&log);
        fill(log);
        filter.setWords(QStringLiteral("SHARD"));
        QCOMPARE(filter.rowCount(), 2);
        filter.setWords(QStringLiteral("shard -closed"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setWords(QStringLiteral("-shard -"));
        QCOMPARE(filter.rowCount(), 2);
        filter.setWords(QStringLiteral("r01 load"));
        QCOMPARE(filter.rowCount(), 1);
    }
    void findsTheFirstErrorAmongWhatIsShown() {
        LogModel log;
        LogFilterModel filter(&log);
        fill(log);
        QCOMPARE(filter.firstError(), 2);
        filter.setWords(QStringLiteral("rank"));
        QCOMPARE(filter.firstError(), 0);
        filter.setRank(0);
        QCOMPARE(filter.firstError(), -1);
    }
};

std::unique_ptr<QObject> logFilterModelTest() {
    return std::make_unique<LogFilterModelTest>();
}

}  // namespace fl::test

#include "log_filter_model_test.moc"
