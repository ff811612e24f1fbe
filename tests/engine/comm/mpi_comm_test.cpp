// SPDX-License-Identifier: Apache-2.0
// Runs under mpirun with 2 and 4 ranks; every rank runs every test.
#include "engine/comm/mpi_comm.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/comm/group.h"
#include "engine/comm/preflight.h"
#include "tests/support/cpu_card.h"

namespace fl::comm {

namespace {

std::unique_ptr<Messenger> world() {
    auto made = mpiWorld();
    EXPECT_TRUE(made);
    return *std::move(made);
}

std::vector<int> allRanks(const Messenger& messenger) {
    std::vector<int> ranks(static_cast<std::size_t>(messenger.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

}  // namespace

TEST(MpiComm, CollectivesWorkAtEveryMessageSize) {
    HostCollectives host(world(), {});
    const int ranks = host.ranks();
    for (const std::int64_t count : {1, 1000, 16384, 16385, 300000}) {
        std::vector<float> data(static_cast<std::size_t>(count),
                                static_cast<float>(host.rank() + 1));
        ASSERT_TRUE(host.allReduce(data.data(), count));
        const auto expected = static_cast<float>(ranks * (ranks + 1) / 2);
        for (const float value : data)
            ASSERT_EQ(value, expected);
    }
}

TEST(MpiComm, TextsArriveWhole) {
    HostCollectives host(world(), {});
    const std::string text(500000, 'q');
    if (host.rank() == 0) {
        ASSERT_TRUE(host.broadcastText(text));
    } else {
        EXPECT_EQ(*host.receiveText(0, host.rules()), text);
    }
    auto all = host.gatherTexts(std::to_string(host.rank()));
    ASSERT_TRUE(all);
    if (host.rank() == 0) {
        EXPECT_EQ(all->back(), std::to_string(host.ranks() - 1));
    }
}

TEST(MpiComm, GroupsOfHalfTheRanksPassPreflight) {
    auto all = world();
    auto card = test::openCpuCard();
    CollectiveJournal journal;
    const int half = all->rank() / 2;
    const std::vector<int> members = {2 * half, 2 * half + 1};
    auto group = Group::create({"tp", "tp" + std::to_string(half), members, all->rank()}, *all, {},
                               card.device, card.stream, journal);
    ASSERT_TRUE(group) << group.error().message;
    const auto times = preflight(**group, card.device, card.stream);
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_GT(times->ringBytesPerSecond, 0);
}

// The last rank stays away: all others name where they wait, and nobody hangs.
TEST(MpiComm, MissingRankIsNamedByThoseWhoWait) {
    auto all = world();
    auto card = test::openCpuCard();
    CollectiveJournal journal;
    WaitRules rules;
    rules.budgetSeconds = 0.2;
    auto group = Group::create({"tp", "tp0", allRanks(*all), all->rank()}, *all, rules, card.device,
                               card.stream, journal);
    ASSERT_TRUE(group);
    if (all->rank() != all->ranks() - 1) {
        std::vector<float> data(8, 1.0F);
        const Status status = (*group)->allReduce(data.data(), 8, "layer.3.attn");
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().message, "no progress for 0.20 s: rank " +
                                              std::to_string(all->rank()) +
                                              ", all_reduce #1 of tp0 at layer.3.attn");
        EXPECT_TRUE(journal.last().inside);
    }
    // Nobody ends MPI before all have seen what they wait for.
    HostCollectives host(world(), {});
    EXPECT_TRUE(host.gatherTexts(""));
    if (host.rank() == 0) {
        EXPECT_TRUE(host.broadcastText(""));
    } else {
        EXPECT_TRUE(host.receiveText(0, host.rules()));
    }
}

}  // namespace fl::comm

int main(int argc, char** argv) {
    const auto session = fl::comm::MpiSession::begin(&argc, &argv);
    testing::InitGoogleTest(&argc, argv);
    return session ? RUN_ALL_TESTS() : 1;
}
