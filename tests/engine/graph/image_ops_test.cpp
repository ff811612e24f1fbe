// SPDX-License-Identifier: Apache-2.0
// Covers: engine/graph/ops/patch_embed.cpp engine/graph/ops/position_grid.cpp
// Covers: engine/graph/ops/image_attention.cpp engine/graph/ops/patch_merge.cpp
// Covers: engine/graph/ops/place_images.cpp engine/graph/ops/layer_norm.cpp
// Covers: engine/graph/ops/activation.cpp engine/graph/ops/gated_activation.cpp
// Covers: engine/graph/ops/sigmoid_gate.cpp engine/graph/ops/scale.cpp
// Covers: engine/graph/gated_activation_kinds.cpp
// engine/graph/gated_activation_kinds.cpp MoonViT's sizes in Kimi K2.5, and variants of operators
// that have kernels for their plain form.
#include <gtest/gtest.h>

#include "tests/support/one_node.h"

namespace fl::graph {

using test::OneNode;

TEST(PatchEmbed, MultipliesEveryPixelWithEveryFilter) {
    OneNode op("patch_embed");
    op.output(1152).weight({1152, 3, 14, 14}).weight({1152});
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(10, 0), 10.0 * 2 * 1152 * 3 * 14 * 14);
    op.graph.weights[0].shape = {1151, 3, 14, 14};
    EXPECT_NE(op.problem(), "");
}

TEST(PositionGrid, ReadsSixteenOrFourRowsOfItsTable) {
    OneNode op("position_grid");
    op.input(64).output(64).weight({16, 16, 64}).set("resample", "bicubic");
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 33.0 * 64);
    EXPECT_DOUBLE_EQ(op.set("resample", "bilinear").flops(1, 0), 9.0 * 64);
    op.graph.weights[0].shape = {16, 16, 63};
    EXPECT_NE(op.problem(), "");
}

TEST(ImageAttention, LetsAllPatchesOfAnImageSeeEachOther) {
    OneNode op("image_attention");
    op.input(3 * 1152).output(1152).set("heads", std::int64_t{16});
    op.set("head_dim", std::int64_t{72});
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(100, 0), 4.0 * 100 * 100 * 1152);
    EXPECT_NE(op.set("heads", std::int64_t{12}).problem(), "");
}

TEST(PatchMerge, LaysASquareOfPatchesSideBySide) {
    OneNode op("patch_merge");
    op.input(1152).output(4608).set("side", std::int64_t{2});
    EXPECT_EQ(op.problem(), "");
    EXPECT_NE(op.set("side", std::int64_t{3}).problem(), "");
}

TEST(PlaceImages, WantsRowsOfTheTextModelsWidth) {
    OneNode op("place_images");
    op.input(64).input(64).output(64).set("add", std::int64_t{0});
    EXPECT_EQ(op.problem(), "");
    OneNode narrow("place_images");
    narrow.input(64).input(32).output(64).set("add", std::int64_t{0});
    EXPECT_NE(narrow.problem(), "");
}

TEST(LayerNorm, HasABiasOrNone) {
    OneNode op("layer_norm");
    op.input(64).output(64).weight({64}).set("epsilon", 1e-5);
    EXPECT_EQ(op.problem(), "");
    EXPECT_EQ(op.weight({64}).problem(), "");
    EXPECT_NE(op.weight({64}).problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(2, 0), 2.0 * 7 * 64);
}

TEST(Activation, KnowsItsKinds) {
    OneNode op("activation");
    op.input(64).output(64).set("kind", "gelu_tanh");
    EXPECT_EQ(op.problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 5.0 * 64);
    EXPECT_NE(op.set("kind", "gelou").problem(), "");
}

TEST(GatedActivation, WantsTheNumbersOfItsKind) {
    OneNode op("gated_activation");
    op.input(64).input(64).output(64).set("kind", "situ").set("beta", 4.0);
    EXPECT_EQ(op.problem(),
              "gated_activation (test of layer 0): expected a number for attribute "
              "linear_beta");
    EXPECT_EQ(op.set("linear_beta", 25.0).problem(), "");
    EXPECT_NE(op.set("kind", "swiglu_oai").set("alpha", 1.702).problem(), "");
    EXPECT_EQ(op.set("limit", 7.0).problem(), "");
    EXPECT_DOUBLE_EQ(op.flops(1, 0), 10.0 * 64);
}

TEST(Scale, KeepsThePlaceAndWantsANumber) {
    OneNode op("scale");
    op.input(64).output(64);
    EXPECT_NE(op.problem(), "");
    EXPECT_EQ(op.set("factor", 8.0).problem(), "");
    EXPECT_EQ(*op.placed({Placed::Sharded}), Placed::Sharded);
    EXPECT_DOUBLE_EQ(op.flops(2, 0), 2.0 * 64);
}

TEST(SigmoidGate, GatesValuesGroupsOrTheWholeRow) {
    for (const std::int64_t gate : {64, 4, 1}) {
        OneNode op("sigmoid_gate");
        EXPECT_EQ(op.input(64).input(gate).output(64).problem(), "") << gate;
    }
    OneNode odd("sigmoid_gate");
    EXPECT_NE(odd.input(64).input(3).output(64).problem(), "");
    OneNode one("sigmoid_gate");
    one.input(64).input(1).output(64);
    EXPECT_EQ(*one.placed({Placed::Sharded, Placed::Whole}), Placed::Sharded);
    OneNode each("sigmoid_gate");
    each.input(64).input(64).output(64);
    EXPECT_FALSE(each.placed({Placed::Sharded, Placed::Whole}));
}

static OneNode windowed(std::int64_t window) {
    OneNode op("attention");
    op.input(64 * 64).input(8 * 64).input(8 * 64).output(64 * 64).set("heads", std::int64_t{64});
    op.set("kv_heads", std::int64_t{8}).set("head_dim", std::int64_t{64}).set("scale", 0.125);
    if (window > 0)
        op.set("window", window);
    return op.state(State::Kind::Paged, 2 * 8 * 64);
}

TEST(Attention, SeesItsWindowAloneAndHasASinkForEveryHead) {
    EXPECT_DOUBLE_EQ(windowed(128).flops(1, 1000), 4.0 * 64 * 64 * 128);
    EXPECT_DOUBLE_EQ(windowed(0).flops(1, 1000), 4.0 * 64 * 64 * 1000);
    EXPECT_EQ(windowed(0).weight({64}, Split::Head).problem(), "");
    EXPECT_NE(windowed(0).weight({63}, Split::Head).problem(), "");
    const OneNode plain = windowed(0);
    EXPECT_EQ(plain.def().missing(plain.graph, plain.graph.nodes[0]), "");
    const OneNode narrow = windowed(128);
    EXPECT_EQ(narrow.def().missing(narrow.graph, narrow.graph.nodes[0]), "a sliding window");
}

static OneNode fusedExperts(bool transposed, bool biased) {
    OneNode op("moe_experts");
    op.input(64).input(4, DType::I32).input(4).output(64).set("experts", std::int64_t{8});
    op.set("k", std::int64_t{4}).set("form", "interleaved");
    op.weight(transposed ? Shape{64, 96} : Shape{96, 64}, Split::Expert);
    op.weight(transposed ? Shape{48, 64} : Shape{64, 48}, Split::Expert);
    if (biased)
        op.weight({96}, Split::Expert).weight({64}, Split::Expert);
    if (transposed)
        op.set("transposed", std::int64_t{1});
    for (Weight& weight : op.graph.weights)
        weight.experts = 8;
    return op;
}

TEST(MoeExperts, TakesGateAndUpInOneTensor) {
    for (const bool transposed : {false, true}) {
        for (const bool biased : {false, true}) {
            const OneNode op = fusedExperts(transposed, biased);
            EXPECT_EQ(op.problem(), "") << transposed << biased;
            EXPECT_DOUBLE_EQ(op.flops(2, 0), 2.0 * 4 * 6 * 48 * 64);
            EXPECT_EQ(op.def().missing(op.graph, op.graph.nodes[0]), "gate and up in one tensor");
        }
    }
    OneNode odd = fusedExperts(false, false);
    odd.graph.weights[1].shape = {64, 47};
    EXPECT_NE(odd.problem(), "");
}

}  // namespace fl::graph
