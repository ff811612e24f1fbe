// SPDX-License-Identifier: GPL-3.0-or-later
// Runs every test class; the first failure of any makes the program fail.
#include <QCoreApplication>
#include <QTest>

#include "tests/ui/models/tests.h"

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    using namespace fl::test;
    int failures = 0;
    for (const auto make :
         {censusModelTest,   chatModelTest,      findingModelTest,    latencyModelTest,
          ledgerTest,        logFilterModelTest, logModelTest,        memoryModelTest,
          metricSeriesTest,  modelsTest,         placementCellsTest,  planCompareModelTest,
          planModelTest,     savedPlanModelTest, rankModelTest,       selectionTest,
          shardModelTest,    sliceModelTest,     stageModelTest,      stageTextTest,
          tensorLoaderTest,  tensorTableTest,    tensorTreeModelTest, textTest,
          topologyModelTest, validateModelTest})
        failures += QTest::qExec(make().get(), argc, argv);
    return failures == 0 ? 0 : 1;
}
