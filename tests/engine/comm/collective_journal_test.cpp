// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/collective_journal.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace fl::comm {

TEST(CollectiveJournal, IsEmptyBeforeTheFirstCollective) {
    const CollectiveJournal journal;
    EXPECT_EQ(journal.last().text, "");
    EXPECT_FALSE(journal.last().inside);
}

TEST(CollectiveJournal, NamesTheCollectiveThatWasEntered) {
    CollectiveJournal journal;
    journal.enter("all_reduce", 57, "tp0", "layer.3.attn");
    EXPECT_EQ(journal.last().text, "all_reduce #57 of tp0 at layer.3.attn");
    EXPECT_TRUE(journal.last().inside);
    EXPECT_GE(journal.last().insideSeconds, 0);
    journal.leave();
    EXPECT_EQ(journal.last().text, "all_reduce #57 of tp0 at layer.3.attn");
    EXPECT_FALSE(journal.last().inside);
}

TEST(CollectiveJournal, CutsTextsThatAreTooLong) {
    CollectiveJournal journal;
    journal.enter("send", 1, "pp0", std::string(500, 'x'));
    EXPECT_EQ(journal.last().text, "send #1 of pp0 at " + std::string(63, 'x'));
}

TEST(CollectiveJournal, NeverShowsHalfAnEntry) {
    CollectiveJournal journal;
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (std::int64_t i = 0; !stop.load(); ++i) {
            const bool even = i % 2 == 0;
            journal.enter(even ? "all_reduce" : "send", even ? 2 : 1, even ? "tp0" : "pp1", "x");
            journal.leave();
        }
    });
    for (int i = 0; i < 20000; ++i) {
        const std::string text = journal.last().text;
        EXPECT_TRUE(text.empty() || text == "all_reduce #2 of tp0 at x" ||
                    text == "send #1 of pp1 at x")
            << text;
    }
    stop = true;
    writer.join();
}

}  // namespace fl::comm
