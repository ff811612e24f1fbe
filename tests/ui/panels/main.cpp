// SPDX-License-Identifier: GPL-3.0-or-later
// Runs every test class; the first failure of any makes the program fail.
#include <QApplication>
#include <QTest>

#include "tests/ui/panels/tests.h"

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    using namespace fl::test;
    int failures = 0;
    for (const auto make : {checkpointPanelTest, findingsPanelTest, latencyPanelTest, logPanelTest,
                            mapViewTest, memoryPanelTest, placementGridTest, placementPanelTest,
                            topologyLayoutTest, topologyPanelTest, validatePanelTest})
        failures += QTest::qExec(make().get(), argc, argv);
    return failures == 0 ? 0 : 1;
}
