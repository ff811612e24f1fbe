// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/models/tests.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static protocol::LogLine line(double time, int rank = 0, const char* level = "info") {
    return {time, rank, level, "load", "shard " + std::to_string(time)};
}

class LogModelTest : public QObject {
    Q_OBJECT

private slots:
    void mergesRanksByTime() {
        LogModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.appendAll({line(1), line(3), line(2, 1), line(3, 1)});
        QCOMPARE(model.line(1).time, 2.0);
        QCOMPARE(model.line(2).rank, 0);
        QCOMPARE(model.line(3).rank, 1);
        QCOMPARE(model.lastRank(), 1);
    }
    void staysWithinItsLimit() {
        LogModel model(nullptr, 5000);
        for (int i = 0; i < 12000; ++i)
            model.append(line(i));
        QVERIFY(model.rowCount() <= 5000);
        QVERIFY(model.rowCount() > 3999);
        QCOMPARE(model.line(model.rowCount() - 1).time, 11999.0);
    }
    void pinsTheFirstError() {
        LogModel model(nullptr, 2000);
        QSignalSpy changed(&model, &LogModel::firstErrorChanged);
        QCOMPARE(model.firstError(), -1);
        model.append(line(5));
        model.append(line(6, 1, "error"));
        model.append(line(7, 2, "error"));
        QCOMPARE(model.firstError(), 1);
        model.append(line(4));
        QCOMPARE(model.firstError(), 2);
        model.append(line(4.5, 0, "error"));
        QCOMPARE(model.firstError(), 1);
        QCOMPARE(changed.count(), 2);
        for (int i = 0; i < 3000; ++i)
            model.append(line(10 + i));
        QCOMPARE(model.firstError(), -1);
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
    void namesTheSource() {
        QCOMPARE(sourceText(-1), QStringLiteral("ctl"));
        QCOMPARE(sourceText(7), QStringLiteral("r07"));
        QCOMPARE(sourceText(130), QStringLiteral("r130"));
    }
};

std::unique_ptr<QObject> logModelTest() {
    return std::make_unique<LogModelTest>();
}

}  // namespace fl::test

#include "log_model_test.moc"
