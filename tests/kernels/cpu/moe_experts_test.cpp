// SPDX-License-Identifier: Apache-2.0
// Covers: kernels/cpu/router_topk.cpp
#include "kernels/cpu/moe_experts.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/cpu/router_topk.h"
#include "kernels/ref/moe_experts.h"
#include "kernels/ref/router_topk.h"
#include "tests/kernels/kernel_testing.h"

namespace fl::kernels {
namespace {

struct Routed {
    std::vector<std::int32_t> ids;
    std::vector<float> weights;
};

template <class Router>
Routed route(const std::vector<float>& logits, int experts, int k, int normalise, Router router) {
    const auto rows = static_cast<std::int64_t>(logits.size()) / experts;
    Routed routed;
    routed.ids.resize(static_cast<std::size_t>(rows * k), -1);
    routed.weights.resize(routed.ids.size());
    router(fl_router_topk_args{sizeof(fl_router_topk_args), rows, experts, k, normalise,
                               logits.data(), routed.ids.data(), routed.weights.data()});
    return routed;
}

TEST(CpuRouterTopk, MatchesTheReferenceForEveryNumberOfExperts) {
    cpu::Parallel parallel(2);
    const auto router = [&](const fl_router_topk_args& args) {
        EXPECT_EQ(cpu::routerTopk(args, parallel), nullptr);
    };
    for (int experts = 1; experts <= 70; ++experts) {
        const auto logits =
            test::Random(static_cast<std::uint32_t>(experts)).floats(5 * experts, 3);
        for (const int normalise : {0, 1}) {
            const int k = 1 + (experts - 1) % 8;
            const Routed expected = route(logits, experts, k, normalise, ref::routerTopk);
            const Routed actual = route(logits, experts, k, normalise, router);
            EXPECT_EQ(expected.ids, actual.ids);
            test::expectNear(expected.weights, actual.weights, 1e-6, "router");
        }
    }
}

TEST(CpuRouterTopk, TakesTheLowerIndexOfEqualLogits) {
    cpu::Parallel parallel(1);
    const Routed routed = route({1, 5, 0, 5, 5}, 5, 3, 1, [&](const fl_router_topk_args& args) {
        EXPECT_EQ(cpu::routerTopk(args, parallel), nullptr);
    });
    EXPECT_EQ(routed.ids, (std::vector<std::int32_t>{1, 3, 4}));
}

TEST(CpuRouterTopk, KeepsIdsValidWhenLogitsAreNot) {
    cpu::Parallel parallel(1);
    const Routed routed = route({NAN, NAN, 1, NAN}, 4, 3, 1, [&](const fl_router_topk_args& args) {
        EXPECT_EQ(cpu::routerTopk(args, parallel), nullptr);
    });
    for (const std::int32_t id : routed.ids)
        EXPECT_TRUE(id >= 0 && id < 4) << id;
}

TEST(CpuRouterTopk, RefusesMoreChoicesThanExperts) {
    cpu::Parallel parallel(1);
    fl_router_topk_args args{};
    args.experts = 4;
    args.k = 5;
    EXPECT_STREQ(cpu::routerTopk(args, parallel), "`k` is not between 1 and `experts`");
}

struct Case {
    std::int64_t rows;
    std::int64_t hidden;
    std::int64_t intermediate;
    fl_dtype type;
    fl_compute compute = FL_COMPUTE_F32;
    fl_dtype downType = FL_F32;
};

// Six experts of which this rank holds 2 … 4.
void check(const Case& item) {
    test::Random random(static_cast<std::uint32_t>(item.rows + item.hidden));
    const auto x = random.floats(item.rows * item.hidden);
    const Routed routed = route(random.floats(item.rows * 6), 6, 2, 1, ref::routerTopk);
    const auto gate = random.weights(item.type, 3 * item.intermediate, item.hidden);
    const auto up = random.weights(item.type, 3 * item.intermediate, item.hidden);
    const auto down = random.weights(item.downType, 3 * item.hidden, item.intermediate);
    std::vector<const void*> gates;
    std::vector<const void*> ups;
    std::vector<const void*> downs;
    for (std::size_t expert = 0; expert < 3; ++expert) {
        gates.push_back(gate.data() + expert * gate.size() / 3);
        ups.push_back(up.data() + expert * up.size() / 3);
        downs.push_back(down.data() + expert * down.size() / 3);
    }
    std::vector<float> expected(x.size());
    fl_moe_experts_args args{sizeof args,
                             item.rows,
                             item.hidden,
                             item.intermediate,
                             2,
                             2,
                             3,
                             x.data(),
                             routed.ids.data(),
                             routed.weights.data(),
                             gates.data(),
                             ups.data(),
                             downs.data(),
                             item.type,
                             item.type,
                             item.downType,
                             item.compute,
                             expected.data()};
    ref::moeExperts(args);
    test::onEveryTarget([&](cpu::Parallel& parallel) {
        std::vector<float> actual(x.size(), -7.0F);
        args.y = actual.data();
        ASSERT_EQ(cpu::moeExperts(args, parallel), nullptr);
        // Rounding activations to bf16 turns the last bit of the inner row into a step of bf16.
        const double allowed = item.compute == FL_COMPUTE_BF16 ? 2e-3 : 4e-6;
        test::expectNear(expected, actual, allowed, test::typeName(item.type));
        EXPECT_LE(parallel.scratchBytes(), cpu::moeExpertsScratchBytes(args, 2));
    });
}

TEST(CpuMoeExperts, MatchesTheReferenceForEveryType) {
    for (const fl_dtype type : test::kWeightTypes) {
        const std::int64_t block = test::blockValues(type);
        check({5, block, block, type, FL_COMPUTE_F32, type});
        check({5, block == 1 ? 33 : 2 * block, 40, type});
        check({5, block == 1 ? 64 : block, 64, type, FL_COMPUTE_BF16});
    }
}

TEST(CpuMoeExperts, MatchesTheReferenceForEveryNumberOfRows) {
    for (std::int64_t rows = 1; rows <= 12; ++rows)
        check({rows, 24, 20, FL_BF16});
    check({300, 16, 12, FL_BF16});  // more than one gathered block for an expert
}

TEST(CpuMoeExperts, RefusesWidthsThatAreNotWholeBlocks) {
    cpu::Parallel parallel(1);
    fl_moe_experts_args args{};
    args.k = 1;
    args.hidden = 32;
    args.intermediate = 40;
    args.gate_dtype = args.up_dtype = args.down_dtype = FL_Q4_0;
    EXPECT_STREQ(cpu::moeExperts(args, parallel),
                 "a weight type is unknown, or a width is not whole blocks of it");
}

}  // namespace
}  // namespace fl::kernels
