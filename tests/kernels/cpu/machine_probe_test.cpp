// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/machine_probe.h"

#include <gtest/gtest.h>

namespace fl::kernels::cpu {
namespace {

TEST(MachineProbe, MeasuresEverythingItNames) {
    const MachineFigures figures = probeMachine({2, 4 << 20, 1});
    EXPECT_EQ(figures.threads, 2);
    EXPECT_FALSE(figures.instructionSet.empty());
    EXPECT_GT(figures.readBytesPerSecondOneThread, 0);
    EXPECT_GT(figures.readBytesPerSecond, 0);
    EXPECT_GT(figures.flopsOneThread, 0);
    EXPECT_GT(figures.flops, 0);
}

}  // namespace
}  // namespace fl::kernels::cpu
