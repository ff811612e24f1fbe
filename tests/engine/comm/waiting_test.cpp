// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/waiting.h"

#include <gtest/gtest.h>

namespace fl::comm {

TEST(Patience, EndsWithTimeoutOnceItsBudgetIsSpent) {
    WaitRules rules;
    rules.budgetSeconds = 0.01;
    Patience patience(rules);
    Status last = Done{};
    int pauses = 0;
    while (last) {
        last = patience.pause();
        ASSERT_LT(++pauses, 100000);
    }
    EXPECT_EQ(last.error().code, ErrorCode::Timeout);
    EXPECT_GE(patience.seconds(), 0.01);
}

TEST(Patience, EndsAtOnceWhenCancelled) {
    CancelSource source;
    WaitRules rules;
    rules.cancel = source.token();
    Patience patience(rules);
    EXPECT_TRUE(patience.pause());
    source.cancel();
    const Status stopped = patience.pause();
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
}

TEST(Patience, SleepsLongerTheLongerItWaits) {
    WaitRules rules;
    rules.budgetSeconds = 0.1;
    Patience patience(rules);
    int pauses = 0;
    while (patience.pause())
        ++pauses;
    // 100 ms in sleeps of 10 µs would be thousands of polls.
    EXPECT_LT(pauses, 400);
}

}  // namespace fl::comm
