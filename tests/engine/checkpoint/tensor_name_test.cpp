// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/tensor_name.h"

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(TensorName, TakesOddButHarmlessNames) {
    for (const char* name : {"a", "模型.权重", "a b", "a/b", "a\\b", "'", ".", "..", "__metadata"})
        EXPECT_EQ(tensorNameFault(name), "") << name;
    EXPECT_EQ(tensorNameFault(std::string(255, 'x')), "");
}

TEST(TensorName, RefusesNamesThatMislead) {
    EXPECT_EQ(tensorNameFault(""), "is empty");
    EXPECT_EQ(tensorNameFault(std::string("a\0b", 3)), "holds a control character");
    EXPECT_EQ(tensorNameFault("a\nb"), "holds a control character");
    EXPECT_EQ(tensorNameFault("../../etc/passwd"), "is a path");
    EXPECT_EQ(tensorNameFault("a/../b"), "is a path");
    EXPECT_EQ(tensorNameFault("/etc/passwd"), "is a path");
    EXPECT_EQ(tensorNameFault("a\u202eb"), "holds a text direction mark");
    EXPECT_EQ(tensorNameFault(std::string(65536, 'x')), "has 65536 bytes, more than 4096");
}

TEST(TensorName, KnowsScalesByTheEndOfTheirName) {
    for (const char* scale : {"a.weight_scale_inv", "a.weight_scale", "a.scales", "a.scale",
                              "a_scales", "a.weight_scale_2"})
        EXPECT_TRUE(isScaleName(scale)) << scale;
    EXPECT_FALSE(isScaleName("a.weight"));
    EXPECT_FALSE(isScaleName("scales.weight"));
}

TEST(TensorName, ShowsNamesWithoutDanger) {
    EXPECT_EQ(printable("a\x1b[31m"), "a\\x1b[31m");
    EXPECT_EQ(printable(std::string(200, 'x')), std::string(100, 'x') + "\u2026");
    // Not cut through the middle of a character.
    EXPECT_EQ(printable(std::string(99, 'x') + "ü"), std::string(99, 'x') + "\u2026");
    EXPECT_EQ(printable("a\xff"), "a");
}

}  // namespace
}  // namespace fl::checkpoint
