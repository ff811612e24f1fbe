// SPDX-License-Identifier: GPL-3.0-or-later
// The test classes of this program, one for each panel.
#pragma once

#include <memory>

class QObject;

namespace fl::test {

std::unique_ptr<QObject> checkpointPanelTest();
std::unique_ptr<QObject> findingsPanelTest();
std::unique_ptr<QObject> latencyPanelTest();
std::unique_ptr<QObject> logPanelTest();
std::unique_ptr<QObject> mapViewTest();
std::unique_ptr<QObject> memoryPanelTest();
std::unique_ptr<QObject> placementGridTest();
std::unique_ptr<QObject> placementPanelTest();
std::unique_ptr<QObject> topologyLayoutTest();
std::unique_ptr<QObject> topologyPanelTest();
std::unique_ptr<QObject> validatePanelTest();

}  // namespace fl::test
