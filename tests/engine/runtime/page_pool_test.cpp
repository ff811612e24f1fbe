// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/page_pool.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace fl::runtime {

TEST(PagePool, GivesEachPageOnce) {
    PagePool pool(5);
    std::set<std::int32_t> pages;
    for (int i = 0; i < 5; ++i)
        pages.insert(pool.take());
    EXPECT_EQ(pages, (std::set<std::int32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(pool.take(), -1);
    EXPECT_EQ(pool.usedPages(), 5);
}

TEST(PagePool, SharedPageIsFreeWithItsLastHolder) {
    PagePool pool(1);
    const std::int32_t page = pool.take();
    pool.share(page);
    pool.release(page);
    EXPECT_EQ(pool.freePages(), 0);
    pool.release(page);
    EXPECT_EQ(pool.freePages(), 1);
}

TEST(PageTable, CoversPositionsAndGivesPagesBack) {
    PagePool pool(4);
    {
        PageTable table(pool, 16);
        EXPECT_TRUE(table.cover(1));
        EXPECT_TRUE(table.cover(16));
        EXPECT_EQ(table.pages().size(), 1U);
        EXPECT_TRUE(table.cover(17));
        EXPECT_EQ(table.pages().size(), 2U);
        EXPECT_FALSE(table.cover(65));
        EXPECT_EQ(pool.usedPages(), 2);
        PageTable moved(std::move(table));
        EXPECT_EQ(moved.pages().size(), 2U);
    }
    EXPECT_EQ(pool.usedPages(), 0);
}

TEST(PageTable, ManyTablesNeverShareAPageByAccident) {
    PagePool pool(64);
    std::mt19937 random(3);
    std::vector<PageTable> tables;
    for (int round = 0; round < 500; ++round) {
        if (random() % 3 != 0 || tables.empty()) {
            tables.emplace_back(pool, 4);
            tables.back().cover(static_cast<std::int64_t>(random() % 40));
        } else {
            tables.pop_back();
        }
        std::set<std::int32_t> seen;
        std::size_t held = 0;
        for (const PageTable& table : tables) {
            seen.insert(table.pages().begin(), table.pages().end());
            held += table.pages().size();
        }
        ASSERT_EQ(seen.size(), held);
        ASSERT_EQ(pool.usedPages(), static_cast<std::int64_t>(held));
    }
}

}  // namespace fl::runtime
