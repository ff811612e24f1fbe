// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/group.h"

#include <gtest/gtest.h>

#include "tests/support/cpu_card.h"
#include "tests/support/local_messenger.h"

namespace fl::comm {

TEST(Group, OfSomeRanksSumsOverThoseOnly) {
    test::onRanks(4, [](std::unique_ptr<Messenger> world) {
        const int rank = world->rank();
        auto card = test::openCpuCard();
        CollectiveJournal journal;
        const GroupIdentity identity{"tp", rank < 2 ? "tp0" : "tp1",
                                     rank < 2 ? std::vector<int>{0, 1} : std::vector<int>{2, 3},
                                     rank};
        auto group = Group::create(identity, *world, {}, card.device, card.stream, journal);
        ASSERT_TRUE(group) << group.error().message;
        EXPECT_EQ((*group)->rank(), rank % 2);
        float value = static_cast<float>(rank);
        ASSERT_TRUE((*group)->allReduce(&value, 1, "layer.0.attn"));
        EXPECT_EQ(value, rank < 2 ? 1.0F : 5.0F);
        EXPECT_EQ(journal.last().text, "all_reduce #1 of " + identity.name + " at layer.0.attn");
        EXPECT_FALSE(journal.last().inside);
    });
}

TEST(Group, TimeoutNamesRankCollectiveAndSite) {
    auto ranks = test::localRanks(2);
    auto card = test::openCpuCard();
    CollectiveJournal journal;
    WaitRules rules;
    rules.budgetSeconds = 0.02;
    auto group = Group::create({"tp", "tp0", {0, 1}, 5}, *ranks[0], rules, card.device, card.stream,
                               journal);
    ASSERT_TRUE(group);
    float value = 0;
    const Status status = (*group)->allReduce(&value, 1, "layer.3.attn");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Timeout);
    EXPECT_EQ(status.error().message,
              "no progress for 20.0 ms: rank 5, all_reduce #1 of tp0 at layer.3.attn");
    EXPECT_TRUE(journal.last().inside);
}

TEST(Group, CancelledWaitSaysSo) {
    auto ranks = test::localRanks(2);
    auto card = test::openCpuCard();
    CollectiveJournal journal;
    CancelSource source;
    source.cancel();
    WaitRules rules;
    rules.cancel = source.token();
    auto group = Group::create({"pp", "pp0", {0, 1}, 0}, *ranks[0], rules, card.device, card.stream,
                               journal);
    ASSERT_TRUE(group);
    float value = 0;
    const Status status = (*group)->receive(&value, 4, 1, "layer.2.mlp");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
}

TEST(Group, NeedsABackendWithCollectives) {
    auto ranks = test::localRanks(2);
    fl_plugin without = *plugins::cpu::pluginEntry(FL_ABI_VERSION);
    without.collectives = nullptr;
    auto card = test::openCpuCard("cards=1", without);
    CollectiveJournal journal;
    auto group =
        Group::create({"tp", "tp0", {0, 1}, 0}, *ranks[0], {}, card.device, card.stream, journal);
    ASSERT_FALSE(group);
    EXPECT_EQ(group.error().code, ErrorCode::Unsupported);
}

}  // namespace fl::comm
