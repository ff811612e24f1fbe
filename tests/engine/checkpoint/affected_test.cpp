// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/affected.h"

#include <vector>

#include <gtest/gtest.h>

namespace fl::checkpoint {
namespace {

TEST(Affected, NamesLayersAndWhatLiesOutsideThem) {
    const std::vector<std::string_view> names = {"model.layers.15.mlp.experts.3.up_proj.weight",
                                                 "model.layers.16.norm.weight",
                                                 "model.layers.4.norm.weight", "lm_head.weight"};
    EXPECT_EQ(affected(names), "4 tensors of layers 4, 15\u201316 and lm_head.weight");
    EXPECT_EQ(affected(std::vector<std::string_view>{"blk.0.attn_q"}), "1 tensor of layer 0");
    EXPECT_EQ(affected(std::vector<std::string_view>{"a", "b", "c", "d"}),
              "4 tensors: a, b, c, \u2026");
}

TEST(Affected, TakesTheFirstNumberBetweenDotsForTheLayer) {
    EXPECT_EQ(layerOf("model.layers.12.experts.7.w1"), 12);
    EXPECT_EQ(layerOf("model.w2.layer7.weight"), -1);
    EXPECT_EQ(layerOf("3"), 3);
    EXPECT_EQ(layerOf(""), -1);
}

}  // namespace
}  // namespace fl::checkpoint
