// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/finding_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

static Finding finding(const char* code, Severity severity, const char* stage = "load") {
    Finding value;
    value.code = code;
    value.severity = severity;
    value.stage = stage;
    value.message = std::string("about ") + code;
    return value;
}

class FindingModelTest : public QObject {
    Q_OBJECT

private slots:
    void putsTheWorstFirst() {
        FindingModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.add(finding("note", Severity::Info));
        model.add(finding("first", Severity::Error));
        model.add(finding("slow", Severity::Warning));
        model.add(finding("second", Severity::Error));
        QCOMPARE(model.finding(0).code, std::string("first"));
        QCOMPARE(model.finding(1).code, std::string("second"));
        QCOMPARE(model.finding(3).code, std::string("note"));
        QCOMPARE(model.count(Severity::Error), 2);
        QCOMPARE(model.index(2).data(FindingModel::SeverityRole).toString(),
                 QStringLiteral("warning"));
    }
    void foldsEqualOnes() {
        FindingModel model;
        Finding nan = finding("not-finite", Severity::Error);
        nan.tensor = "a";
        model.add(nan);
        nan.tensor = "b";
        model.add(nan);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0).data(FindingModel::CountRole).toInt(), 2);
        QCOMPARE(model.finding(0).examples, (std::vector<std::string>{"b"}));
        QVERIFY(
            model.index(0).data(FindingModel::PlaceRole).toString().startsWith(QLatin1Char('2')));
    }
    void copiesAsText() {
        FindingModel model;
        model.setAll(kimiFailed().findings);
        const QString all = model.asText();
        QCOMPARE(all.count(QLatin1Char('\n')), 2);
        QVERIFY(all.startsWith(QStringLiteral("error rank-lost")));
        QVERIFY(!model.asText(2).contains(QLatin1Char('\n')));
    }
    void forgetsAStageThatRunsAgain() {
        FindingModel model;
        model.add(finding("a", Severity::Error, "launch"));
        model.add(finding("b", Severity::Error, "load"));
        model.forgetStage(QStringLiteral("load"));
        QCOMPARE(model.rowCount(), 1);
        model.forgetStage(QStringLiteral("plan"));
        QCOMPARE(model.rowCount(), 1);
        model.reset();
        QCOMPARE(model.rowCount(), 0);
    }
};

std::unique_ptr<QObject> findingModelTest() {
    return std::make_unique<FindingModelTest>();
}

}  // namespace fl::test

#include "finding_model_test.moc"
