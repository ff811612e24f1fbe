// SPDX-License-Identifier: Apache-2.0
// The reference itself, against numbers worked out by hand.
// Covers: kernels/ref/
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ref/add.h"
#include "kernels/ref/attention.h"
#include "kernels/ref/dequantise.h"
#include "kernels/ref/embedding.h"
#include "kernels/ref/gather_rows.h"
#include "kernels/ref/linear.h"
#include "kernels/ref/moe_experts.h"
#include "kernels/ref/rms_norm.h"
#include "kernels/ref/rope.h"
#include "kernels/ref/router_topk.h"
#include "kernels/ref/silu_mul.h"

namespace fl::kernels::ref {
namespace {

using Floats = std::vector<float>;

TEST(RefAdd, Adds) {
    const Floats a = {1, 2};
    Floats y = {10, 20};
    add({sizeof(fl_add_args), 1, 2, a.data(), y.data(), y.data()});
    EXPECT_EQ(y, (Floats{11, 22}));
}

TEST(RefSiluMul, GatesWithTheSigmoid) {
    const Floats gate = {0, std::log(3.0F)};  // sigmoid(ln 3) = 3/4
    const Floats up = {5, 2};
    Floats y(2);
    siluMul({sizeof(fl_silu_mul_args), 1, 2, gate.data(), up.data(), y.data()});
    EXPECT_FLOAT_EQ(y[0], 0);
    EXPECT_FLOAT_EQ(y[1], 1.5F * std::log(3.0F));
}

TEST(RefGatherRows, PicksRows) {
    const Floats x = {1, 2, 3, 4, 5, 6};
    const std::array<std::int32_t, 2> indices = {2, 0};
    Floats y(4);
    gatherRows({sizeof(fl_gather_rows_args), 2, 2, x.data(), indices.data(), y.data()});
    EXPECT_EQ(y, (Floats{5, 6, 1, 2}));
}

TEST(RefEmbedding, ZeroesWhatAnotherRankHolds) {
    const Floats table = {1, 2, 3, 4};
    const std::array<std::int32_t, 3> ids = {8, 6, 7};
    Floats y(6, -1);
    embedding({sizeof(fl_embedding_args), 3, 2, ids.data(), table.data(), FL_F32, 2, 7, y.data()});
    EXPECT_EQ(y, (Floats{3, 4, 0, 0, 1, 2}));
}

TEST(RefRmsNorm, DividesByTheRootMeanSquareOfEachGroup) {
    const Floats x = {3, 4, 0, 2};
    const Floats weight = {1, 10};
    Floats y(4);
    rmsNorm({sizeof(fl_rms_norm_args), 1, 2, 2, x.data(), weight.data(), FL_F32, 0, y.data()});
    EXPECT_FLOAT_EQ(y[0], 3 / std::sqrt(12.5F));
    EXPECT_FLOAT_EQ(y[1], 40 / std::sqrt(12.5F));
    EXPECT_FLOAT_EQ(y[2], 0);
    EXPECT_FLOAT_EQ(y[3], 20 / std::sqrt(2.0F));
}

TEST(RefLinear, MultipliesWithRowsAndAddsTheBias) {
    const Floats x = {1, 2};
    const Floats weight = {3, 4, 5, 6};
    const std::array<std::uint16_t, 2> bias = {bf16FromFloat(100), bf16FromFloat(0.5F)};
    Floats y(2);
    linear({sizeof(fl_linear_args), 1, 2, 2, x.data(), weight.data(), FL_F32, bias.data(), FL_BF16,
            FL_COMPUTE_F32, y.data()});
    EXPECT_EQ(y, (Floats{111, 17.5F}));
}

TEST(RefLinear, RoundsActivationsAndNotWeights) {
    // 1 + 2^-9 lies between two bf16 numbers and rounds to 1; the weight keeps its last bits.
    const Floats x = {1.001953125F};
    const Floats weight = {1.001953125F};
    Floats y(1);
    linear({sizeof(fl_linear_args), 1, 1, 1, x.data(), weight.data(), FL_F32, nullptr, FL_F32,
            FL_COMPUTE_BF16, y.data()});
    EXPECT_EQ(y[0], 1.001953125F);
}

TEST(RefRope, TurnsPairsByPositionTimesFrequency) {
    const std::array<std::int32_t, 1> positions = {2};
    const Floats frequencies = {static_cast<float>(M_PI) / 4, 0};  // a quarter turn, and none
    fl_rope_args args{};
    args.rows = 1;
    args.heads = 1;
    args.head_dim = 5;
    args.rotary = 4;
    args.attention_factor = 2;
    args.positions = positions.data();
    args.inverse_frequencies = frequencies.data();
    Floats halves = {1, 2, 3, 4, 9};
    args.x = halves.data();
    rope(args);
    EXPECT_NEAR(halves[0], -6, 1e-5);  // (1, 3) → (−3, 1), twice as long
    EXPECT_NEAR(halves[2], 2, 1e-5);
    EXPECT_EQ(halves[1], 4);
    EXPECT_EQ(halves[3], 8);
    EXPECT_EQ(halves[4], 9);
    Floats neighbours = {1, 2, 3, 4, 9};
    args.interleaved = 1;
    args.x = neighbours.data();
    rope(args);
    EXPECT_NEAR(neighbours[0], -4, 1e-5);
    EXPECT_NEAR(neighbours[1], 2, 1e-5);
    EXPECT_EQ(neighbours[2], 6);
}

TEST(RefRouterTopk, WeighsByTheSoftmaxOverAllOrOverTheChosen) {
    const Floats logits = {0, std::log(2.0F), std::log(5.0F)};  // 1/8, 2/8, 5/8
    std::array<std::int32_t, 2> ids{};
    Floats weights(2);
    fl_router_topk_args args{sizeof args, 1, 3, 2, 0, logits.data(), ids.data(), weights.data()};
    routerTopk(args);
    EXPECT_EQ(ids, (std::array<std::int32_t, 2>{2, 1}));
    EXPECT_FLOAT_EQ(weights[0], 5.0F / 8);
    EXPECT_FLOAT_EQ(weights[1], 2.0F / 8);
    args.normalise = 1;
    routerTopk(args);
    EXPECT_FLOAT_EQ(weights[0], 5.0F / 7);
}

TEST(RefMoeExperts, SumsOnlyTheExpertsThatAreHere) {
    const Floats x = {2};
    const Floats gate = {1, -1};
    const Floats one = {1, 1};
    const Floats down = {10, 100};
    const std::array<std::int32_t, 3> ids = {6, 5, 9};
    const Floats weights = {0.5F, 0.25F, 99};
    const std::array<const void*, 2> gates = {&gate[0], &gate[1]};
    const std::array<const void*, 2> ups = {&one[0], &one[1]};
    const std::array<const void*, 2> downs = {&down[0], &down[1]};
    Floats y(1, -1);
    moeExperts({sizeof(fl_moe_experts_args), 1, 1, 1, 3, 5, 2, x.data(), ids.data(), weights.data(),
                gates.data(), ups.data(), downs.data(), FL_F32, FL_F32, FL_F32, FL_COMPUTE_F32,
                y.data()});
    const double silu2 = 2 / (1 + std::exp(-2.0));
    const double siluMinus2 = -2 / (1 + std::exp(2.0));
    EXPECT_NEAR(y[0], 0.25 * 10 * silu2 * 2 + 0.5 * 100 * siluMinus2 * 2, 1e-4);
}

TEST(RefAttention, AveragesTheValuesOfThePositionsSoFar) {
    // Two query heads share one kv head of width 1; pages of two tokens, used in reverse.
    const Floats q = {0, std::log(3.0F)};
    const Floats k = {1};
    const Floats v = {8};
    const std::array<std::int32_t, 1> sequences = {0};
    const std::array<std::int32_t, 1> positions = {2};
    const std::array<std::int32_t, 2> table = {1, 0};
    Floats kPages = {-9, -9, 0, 0};  // positions 0 and 1 lie in page 1
    Floats vPages = {-9, -9, 1, 3};
    Floats y(2);
    fl_attention_args args{};
    args.rows = 1;
    args.heads = 2;
    args.kv_heads = 1;
    args.head_dim = 1;
    args.scale = 1;
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.k_pages = kPages.data();
    args.v_pages = vPages.data();
    args.kv_dtype = FL_F32;
    args.page_bytes = 8;
    args.page_tokens = 2;
    args.row_sequences = sequences.data();
    args.row_positions = positions.data();
    args.page_tables = table.data();
    args.table_stride = 2;
    args.y = y.data();
    attention(args);
    EXPECT_FLOAT_EQ(y[0], 4);          // (1 + 3 + 8) / 3
    EXPECT_FLOAT_EQ(y[1], 28.0F / 5);  // (1 + 3 + 3 · 8) / (1 + 1 + 3)
    EXPECT_EQ(kPages, (Floats{1, -9, 0, 0}));
    EXPECT_EQ(vPages, (Floats{8, -9, 1, 3}));
}

}  // namespace
}  // namespace fl::kernels::ref
