// SPDX-License-Identifier: GPL-3.0-or-later
// The test classes of this program, one for each source file of ui/models.
#pragma once

#include <memory>

class QObject;

namespace fl::test {

std::unique_ptr<QObject> censusModelTest();
std::unique_ptr<QObject> chatModelTest();
std::unique_ptr<QObject> findingModelTest();
std::unique_ptr<QObject> latencyModelTest();
std::unique_ptr<QObject> ledgerTest();
std::unique_ptr<QObject> logFilterModelTest();
std::unique_ptr<QObject> logModelTest();
std::unique_ptr<QObject> memoryModelTest();
std::unique_ptr<QObject> metricSeriesTest();
std::unique_ptr<QObject> modelsTest();
std::unique_ptr<QObject> placementCellsTest();
std::unique_ptr<QObject> planCompareModelTest();
std::unique_ptr<QObject> planModelTest();
std::unique_ptr<QObject> rankModelTest();
std::unique_ptr<QObject> savedPlanModelTest();
std::unique_ptr<QObject> selectionTest();
std::unique_ptr<QObject> shardModelTest();
std::unique_ptr<QObject> sliceModelTest();
std::unique_ptr<QObject> stageModelTest();
std::unique_ptr<QObject> stageTextTest();
std::unique_ptr<QObject> tensorLoaderTest();
std::unique_ptr<QObject> tensorTableTest();
std::unique_ptr<QObject> tensorTreeModelTest();
std::unique_ptr<QObject> textTest();
std::unique_ptr<QObject> topologyModelTest();
std::unique_ptr<QObject> validateModelTest();

}  // namespace fl::test
