// SPDX-License-Identifier: Apache-2.0
#include "engine/service/rank_inbox.h"

#include <thread>

#include <gtest/gtest.h>

namespace fl::service {
namespace {

TEST(RankInbox, GivesMessagesInOrder) {
    RankInbox inbox;
    EXPECT_FALSE(inbox.take(0));
    inbox.put("first", 1);
    inbox.put("second", 2);
    EXPECT_EQ(inbox.take(0)->method, "first");
    EXPECT_EQ(inbox.take(0)->params.integer(), 2);
    EXPECT_FALSE(inbox.take(0));
}

TEST(RankInbox, WakesWhoWaits) {
    RankInbox inbox;
    std::thread sender([&] { inbox.put("late", {}); });
    const auto message = inbox.take(60);
    sender.join();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->method, "late");
}

TEST(RankInbox, ShutdownCancelsEverything) {
    RankInbox inbox;
    const CancelToken load = inbox.beginLoad();
    EXPECT_FALSE(inbox.stopToken().cancelled());
    inbox.put("shutdown", {});
    EXPECT_TRUE(inbox.stopToken().cancelled());
    EXPECT_TRUE(load.cancelled());
    EXPECT_TRUE(inbox.beginLoad().cancelled());
}

TEST(RankInbox, LoadCancelStopsOneLoadOnly) {
    RankInbox inbox;
    const CancelToken first = inbox.beginLoad();
    inbox.put("load.cancel", {});
    EXPECT_TRUE(first.cancelled());
    EXPECT_FALSE(inbox.beginLoad().cancelled());
    EXPECT_FALSE(inbox.stopToken().cancelled());
}

}  // namespace
}  // namespace fl::service
