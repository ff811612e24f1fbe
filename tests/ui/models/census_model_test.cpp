// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/census_model.h"

#include <QTest>

#include "tests/ui/models/tests.h"
#include "tests/ui/support/recorded.h"

namespace fl::test {

using namespace fl::models;  // NOLINT: the folder under test

class CensusModelTest : public QObject {
    Q_OBJECT

private slots:
    void saysFilesInBothUnits() {
        CensusModel model;
        QVERIFY(model.empty());
        QVERIFY(model.filesText().isEmpty());
        model.apply(kimiCensus());
        QVERIFY(model.filesText().contains(QStringLiteral("64 files")));
        QVERIFY(model.filesText().contains(QStringLiteral("GB)")));
    }
    void namesActiveParametersOnlyIfTheyDiffer() {
        CensusModel model;
        model.apply(smollmCensus());
        QCOMPARE(model.parametersText(), QStringLiteral("parameters 134.5 M"));
        model.apply(kimiCensus());
        QCOMPARE(model.parametersText(), QStringLiteral("parameters 1,058.6 B, active 32.0 B"));
        model.reset();
        QVERIFY(model.empty());
    }
};

std::unique_ptr<QObject> censusModelTest() {
    return std::make_unique<CensusModelTest>();
}

}  // namespace fl::test

#include "census_model_test.moc"
