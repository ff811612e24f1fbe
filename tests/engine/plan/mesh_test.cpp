// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "engine/plan/plan.h"

namespace fl::plan {

static std::map<std::string, std::vector<int>> byName(const Mesh& mesh) {
    std::map<std::string, std::vector<int>> out;
    for (const Group& group : groups(mesh))
        out[group.name] = group.ranks;
    return out;
}

TEST(Mesh, RanksCountTpFastest) {
    const Mesh mesh{.dp = 2, .pp = 3, .tp = 4};
    EXPECT_EQ(mesh.ranks(), 24);
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        EXPECT_EQ(rankAt(mesh, coordinates(mesh, rank)), rank);
    EXPECT_EQ(coordinates(mesh, 17).dp, 1);
    EXPECT_EQ(coordinates(mesh, 17).pp, 1);
    EXPECT_EQ(coordinates(mesh, 17).tp, 1);
    EXPECT_EQ(text({.pp = 4, .tp = 8, .ep = 8}), "tp8·pp4·ep8");
}

TEST(Groups, OfTensorAndPipelineParallel) {
    const auto found = byName({.pp = 2, .tp = 3});
    EXPECT_EQ(found.at("tp0"), (std::vector{0, 1, 2}));
    EXPECT_EQ(found.at("tp1"), (std::vector{3, 4, 5}));
    EXPECT_EQ(found.at("pp1"), (std::vector{1, 4}));
    EXPECT_EQ(found.size(), 5U);
}

TEST(Groups, ExpertsBelowTpStayInsideAStage) {
    const auto found = byName({.tp = 4, .ep = 2});
    // Experts are cut in two: ranks 0 and 1 hold the halves of the first set.
    EXPECT_EQ(found.at("ep0"), (std::vector{0, 2}));
    EXPECT_EQ(found.at("ep1"), (std::vector{1, 3}));
    EXPECT_EQ(found.count("edp0"), 0U);
}

TEST(Groups, ExpertsAboveTpJoinReplicas) {
    const auto found = byName({.dp = 2, .pp = 1, .tp = 2, .ep = 4});
    EXPECT_EQ(found.at("ep0"), (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(found.at("edp0"), (std::vector{0, 2}));
    EXPECT_EQ(found.at("edp1"), (std::vector{1, 3}));
    EXPECT_EQ(found.at("dp0"), (std::vector{0, 2}));
}

TEST(Groups, EveryRankIsInAtMostOneGroupOfAKind) {
    for (const Mesh& mesh :
         {Mesh{4, 2, 2, 4}, Mesh{1, 2, 4, 2}, Mesh{4, 3, 1, 2}, Mesh{2, 1, 4, 8}}) {
        std::set<std::pair<std::string, int>> seen;
        for (const Group& group : groups(mesh)) {
            for (const int rank : group.ranks)
                EXPECT_TRUE(seen.insert({group.kind, rank}).second) << text(mesh) << group.name;
        }
    }
}

TEST(Order, PutsTheNamedAxisNextToEachOther) {
    const Mesh mesh{2, 3, 4, 1};
    const auto order = orderFromText("pp,dp,tp");
    ASSERT_TRUE(order);
    EXPECT_EQ(text(*order), "pp,dp,tp");
    EXPECT_EQ(placeOf(mesh, *order, {0, 1, 0}), 1);
    EXPECT_EQ(placeOf(mesh, *order, {1, 0, 0}), 3);
    EXPECT_EQ(placeOf(mesh, *order, {0, 0, 1}), 6);
    for (int rank = 0; rank < mesh.ranks(); ++rank)
        EXPECT_EQ(placeOf(mesh, kUsualOrder, coordinates(mesh, rank)), rank);
    EXPECT_EQ(*orderFromText(""), kUsualOrder);
    EXPECT_NE(orderFromText("tp,pp").error().message.find("tp,pp,dp"), std::string::npos);
}

TEST(Order, CountsOnlyThoseThatDiffer) {
    EXPECT_EQ(distinctOrders({1, 1, 8, 1}).size(), 1u);
    EXPECT_EQ(distinctOrders({1, 2, 8, 1}).size(), 2u);
    EXPECT_EQ(distinctOrders({2, 2, 8, 1}).size(), 6u);
    EXPECT_EQ(distinctOrders({2, 2, 8, 1}).front(), kUsualOrder);
}

}  // namespace fl::plan
