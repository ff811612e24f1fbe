// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/predict.h"

#include <gtest/gtest.h>

namespace fl::plan {

static const DeviceSpeed kDevice{10, 100};

static StageLoad load() {
    StageLoad load;
    load.weightBytes = 20;          // 2 s
    load.kvBytes = 10;              // 1 s
    load.flops = 50;                // 0.5 s, hidden behind reading
    load.traffic = {{"tp", 1, 5}};  // two ranks: once 5 bytes in 1 s, and 0.5 s
    return load;
}

static Predicted predicted(const std::vector<StageLoad>& stages, const LinkSpeed& link) {
    PlanOptions options;
    options.maxSequences = 4;
    return predictStep(stages, std::vector(stages.size(), kDevice), {{"tp", 2, link}}, options, 3);
}

TEST(Predict, AddsStagesAndNamesTheBound) {
    const Predicted one = predicted({load()}, {5, 0.5});
    EXPECT_DOUBLE_EQ(one.stepSeconds, 4.5);
    EXPECT_EQ(one.bound, "weights");
    EXPECT_DOUBLE_EQ(one.bubbleSeconds, 0);
    EXPECT_DOUBLE_EQ(one.tokensPerSecond, 12 / 4.5);
    const Predicted two = predicted({load(), load()}, {5, 0.5});
    EXPECT_DOUBLE_EQ(two.stepSeconds, 9);
    EXPECT_DOUBLE_EQ(two.bubbleSeconds, 4.5);
    EXPECT_DOUBLE_EQ(predicted({load()}, {1, 2}).stepSeconds, 3 + 5 + 2);
    EXPECT_EQ(predicted({load()}, {1, 2}).bound, "communication");
    StageLoad busy = load();
    busy.flops = 10000;
    EXPECT_EQ(predicted({busy}, {5, 0.5}).bound, "flops");
}

TEST(Predict, CountsTheLaunchOfOperators) {
    StageLoad many = load();
    many.operators = 1e6;
    EXPECT_DOUBLE_EQ(predicted({many}, {5, 0.5}).stepSeconds, 4.5 + 2);
    EXPECT_DOUBLE_EQ(predicted({many}, {5, 0.5}).overheadSeconds, 2);
}

TEST(Predict, GivesEachKindOfGroupItsShareOfTheBytes) {
    const LinkSpeed link{1, 0};
    const auto seconds = [&](const char* kind, int ranks) {
        return communicationSeconds({kind, 1, 8}, {{kind, ranks, link}});
    };
    EXPECT_DOUBLE_EQ(seconds("tp", 4), 8 * 2 * 3 / 4.0);
    EXPECT_DOUBLE_EQ(seconds("edp", 4), 8 * 3);
    EXPECT_DOUBLE_EQ(seconds("pp", 2), 8);
    EXPECT_DOUBLE_EQ(seconds("tp", 1), 0);
}

TEST(Predict, CardsOfACpuShareItsCores) {
    topology::Node node;
    node.cores = 4;
    node.sockets = 1;
    topology::Device card;
    card.kind = "cpu";
    EXPECT_DOUBLE_EQ(speedOf(node, card, 1).memoryBytesPerSecond, 60e9);
    EXPECT_DOUBLE_EQ(speedOf(node, card, 3).memoryBytesPerSecond, 20e9);
    node.cores = 64;
    EXPECT_DOUBLE_EQ(speedOf(node, card, 1).memoryBytesPerSecond, 8 * 15e9);
    card.options = "cards=2,threads=3,memory=1GiB";
    EXPECT_DOUBLE_EQ(speedOf(node, card, 1).memoryBytesPerSecond, 45e9);
    EXPECT_DOUBLE_EQ(speedOf(node, card, 2).flops, 300e9);
    EXPECT_DOUBLE_EQ(speedOf(node, card, 64).flops, 100e9);
    card.memoryBytesPerSecond = 1e9;
    EXPECT_DOUBLE_EQ(speedOf(node, card, 3).memoryBytesPerSecond, 1e9);
    card.kind = "cuda";
    card.flops = 9e14;
    EXPECT_DOUBLE_EQ(speedOf(node, card, 8).flops, 9e14);
}

}  // namespace fl::plan
