// SPDX-License-Identifier: Apache-2.0
// Covers: engine/comm/transport_table.cpp engine/comm/single_comm.cpp
#include "engine/comm/host_collectives.h"

#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/local_messenger.h"

namespace fl::comm {

namespace {

void onCollectives(int ranks, const std::function<void(HostCollectives&)>& body) {
    test::onRanks(ranks, [&](std::unique_ptr<Messenger> messenger) {
        HostCollectives host(std::move(messenger), {});
        body(host);
    });
}

// Any function of rank and place that is not symmetric in them.
float valueOf(int rank, std::int64_t i) {
    return static_cast<float>(rank + 1) * 0.37F + static_cast<float>(i % 101) * 0.011F;
}

}  // namespace

TEST(HostCollectives, AllReduceGivesAllRanksTheSameBitsAtAnySize) {
    for (const int ranks : {1, 2, 3, 4}) {
        for (const std::int64_t count : {1, 7, 4096, 16385, 100003}) {
            std::vector<std::vector<float>> all(static_cast<std::size_t>(ranks));
            onCollectives(ranks, [&](HostCollectives& host) {
                std::vector<float> data(static_cast<std::size_t>(count));
                for (std::int64_t i = 0; i < count; ++i)
                    data[static_cast<std::size_t>(i)] = valueOf(host.rank(), i);
                ASSERT_TRUE(host.allReduce(data.data(), count));
                all[static_cast<std::size_t>(host.rank())] = data;
            });
            for (std::int64_t i = 0; i < count; ++i) {
                float expected = valueOf(0, i);
                for (int rank = 1; rank < ranks; ++rank)
                    expected += valueOf(rank, i);
                for (const auto& data : all)
                    ASSERT_EQ(data[static_cast<std::size_t>(i)], expected) << ranks << " " << i;
            }
        }
    }
}

TEST(HostCollectives, AllGatherJoinsUnevenAndEmptyParts) {
    onCollectives(3, [&](HostCollectives& host) {
        const std::vector<std::int64_t> counts = {3, 0, 5};
        const std::string parts[] = {"abc", "", "defgh"};
        std::string to(8, '.');
        ASSERT_TRUE(host.allGather(parts[host.rank()].data(), to.data(), counts.data()));
        EXPECT_EQ(to, "abcdefgh");
    });
}

TEST(HostCollectives, ReduceScatterKeepsOwnPartOfTheSum) {
    onCollectives(3, [&](HostCollectives& host) {
        const std::vector<std::int64_t> counts = {2, 0, 3};
        std::vector<float> from(5);
        for (int i = 0; i < 5; ++i)
            from[static_cast<std::size_t>(i)] = static_cast<float>(10 * host.rank() + i);
        std::vector<float> to(3, -1);
        ASSERT_TRUE(host.reduceScatter(from.data(), to.data(), counts.data()));
        const int begin = host.rank() == 2 ? 2 : 0;
        for (int i = 0; i < counts[static_cast<std::size_t>(host.rank())]; ++i)
            EXPECT_EQ(to[static_cast<std::size_t>(i)], static_cast<float>(30 + 3 * (begin + i)));
    });
}

TEST(HostCollectives, AllToAllMovesEachPartToItsRank) {
    onCollectives(3, [&](HostCollectives& host) {
        // Rank r sends r + peer letters 'a' + 3 r + peer to each peer.
        std::vector<std::int64_t> fromCounts;
        std::vector<std::int64_t> toCounts;
        std::string from;
        std::string expected;
        for (int peer = 0; peer < 3; ++peer) {
            const auto count = static_cast<std::size_t>(host.rank() + peer);
            fromCounts.push_back(host.rank() + peer);
            toCounts.push_back(host.rank() + peer);
            from += std::string(count, static_cast<char>('a' + 3 * host.rank() + peer));
            expected += std::string(count, static_cast<char>('a' + 3 * peer + host.rank()));
        }
        std::string to(expected.size(), '.');
        ASSERT_TRUE(host.allToAll(from.data(), fromCounts.data(), to.data(), toCounts.data()));
        EXPECT_EQ(to, expected);
    });
}

TEST(HostCollectives, TextsOfAnyLengthReachEverybody) {
    onCollectives(3, [&](HostCollectives& host) {
        const std::string text(100000, 'x');
        if (host.rank() == 0) {
            ASSERT_TRUE(host.broadcastText(text));
            ASSERT_TRUE(host.broadcastText(""));
        } else {
            EXPECT_EQ(*host.receiveText(0, host.rules()), text);
            EXPECT_EQ(*host.receiveText(0, host.rules()), "");
        }
        auto all = host.gatherTexts(std::string(static_cast<std::size_t>(host.rank()), 'r'));
        ASSERT_TRUE(all);
        if (host.rank() == 0) {
            EXPECT_EQ(*all, (std::vector<std::string>{"", "r", "rr"}));
        }
    });
}

TEST(HostCollectives, OneRankNeedsNobody) {
    HostCollectives host(singleRank(), {});
    std::vector<float> data(20000, 2.5F);
    ASSERT_TRUE(host.allReduce(data.data(), 20000));
    EXPECT_EQ(data.back(), 2.5F);
    ASSERT_TRUE(host.broadcastText("step"));
    EXPECT_EQ(*host.gatherTexts("me"), std::vector<std::string>{"me"});
    EXPECT_FALSE(host.send(data.data(), 4, 1));
}

TEST(HostCollectives, WaitForASilentPeerEndsWithTimeout) {
    auto ranks = test::localRanks(2);
    WaitRules rules;
    rules.budgetSeconds = 0.02;
    HostCollectives host(std::move(ranks[0]), rules);
    float value = 1;
    const fl_transport& table = host.transport();
    EXPECT_EQ(table.all_reduce_f32(table.context, &value, 1), FL_TIMEOUT);
    EXPECT_EQ(host.lastError().code, ErrorCode::Timeout);
}

}  // namespace fl::comm
